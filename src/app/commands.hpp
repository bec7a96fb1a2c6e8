#pragma once
// The command line: each command adds its options and its action to the parser.

#include <nlohmann/json_fwd.hpp>
#include <sparsecast/profile.hpp>

namespace CLI {
class App;
}

namespace sparsecast::app {
/// Options that every command takes.
struct Globals {
  bool json = false;
  bool quiet = false;
  int threads = 0;
  bool best_count = false;  ///< --threads auto
  std::string precision = "double";
  std::string command_line;  ///< as it was typed

  mutable bool precision_heeded = false;  ///< whether the command has asked for it

  [[nodiscard]] Precision value_precision() const;
};
/// Error usage where single precision is asked of what has none: "solves are" in double precision.
void require_double(const Globals& globals, std::string_view what_are);

/// Adds one command. The action may throw sparsecast::Error; main turns it into a line and an exit status.
using AddCommand = void (*)(CLI::App& root, const Globals& globals);

#define APP_COMMAND(name, ...) void add_##name(CLI::App& root, const Globals& globals);
#include "app/commands.def"

/// Adds the options of Globals to a command (so that they may stand before or after its own).
void add_globals(CLI::App& command, Globals& globals);

/// The words as a shell would take them, the program by its name alone.
std::string words_as_typed(const std::vector<std::string>& words);

/// What --version prints.
std::string version_text(const std::vector<std::string>& words);

/// Writes text for people to stdout, in the letters and the width of the terminal (terminal/terminal.hpp); a full disk
/// or closed pipe is an Error failed and never silent.
void print(std::string_view text);
/// Writes what programs read (documents, scripts, paths) to stdout as it is.
void print_data(std::string_view text);
/// The document with its "schema": "sparsecast/<name>/1" first.
nlohmann::ordered_json with_schema(std::string_view name, const nlohmann::ordered_json& document);
/// One JSON document with its "schema": "sparsecast/<name>/1" first.
void print_json(std::string_view name, const nlohmann::ordered_json& document);
/// What went wrong, as a line on stderr.
void complain(std::string_view what);
/// Progress and remarks, on stderr unless --quiet.
void remark(const Globals& globals, std::string_view line);

/// What is called otherwise here than in the library is known to texts from then on (base/wording.hpp).
void teach_command_line();

// The command as a function.

/// Runs a command line as the program does and returns its exit status. What a command throws passes through.
int run(int argc, char** argv);

/// Whether a command line is understood; nothing is run. Error usage where it is not.
void check_line(std::vector<std::string> arguments);
}  // namespace sparsecast::app

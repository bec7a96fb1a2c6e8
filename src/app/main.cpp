// A run of the sparsecast command: parses a command line and runs the one command that it names.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "app/kept_inputs.hpp"
#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "base/threads.hpp"

namespace sparsecast {
namespace {
struct Command {
  std::string_view name;
  app::AddCommand add;
  bool tells_of_all = false;  ///< it needs the others in the parser
  bool hidden = false;
};

// The commands whose libraries are built in, in the order in which --help lists them.
constexpr auto commands = std::to_array<Command>({
#define APP_COMMAND(name, ...) {#name, app::add_##name __VA_OPT__(, ) __VA_ARGS__},
#include "app/commands.def"
});

// The one that a line names; all of them where it begins with an option, or names one that tells of the others. To make
// the options of all takes ten times as long as to read a line. Error usage where there is none of that name.
std::span<const Command> wanted(const std::vector<std::string>& words) {
  if (words.size() < 2 || words[1].starts_with('-')) return commands;
  const auto* const named = std::ranges::find(commands, words[1], &Command::name);
  if (named != commands.end())
    return named->tells_of_all ? std::span<const Command>(commands) : std::span<const Command>(named, 1);
#define APP_COMMAND(...)
#define SPARSECAST_LEFT_OUT(name) #name,
  const std::vector<std::string_view> left_out{
#include "app/commands.def"
  };
  if (std::ranges::find(left_out, words[1]) != left_out.end())
    throw Error(ErrorCode::unavailable, fmt::format("this program is built without `{}`", words[1]), {},
                "`scripts/build release` builds build/release/sparsecast with all commands");
  std::vector<std::string> known;
  for (const Command& one : commands)
    if (!one.hidden) known.emplace_back(one.name);
  throw app::unknown_command("sparsecast", words[1], known);
}

constexpr const char* about_the_program =
    "exit status:\n  0  done\n  1  failed\n  2  wrong usage, or an unknown name\n  3  bad input (file, line and reason "
    "on stderr); with several matrices, the others were answered\n  4  that device or optional part is missing\n  130  "
    "interrupted\n\nenvironment:\n  SPARSECAST_HOME  where measurements and fetched matrices are kept\n  "
    "SPARSECAST_COLLECTION_URL  a mirror of the matrix collection, for get and ss:GROUP/NAME\n  COLUMNS, NO_COLOR, "
    "LC_ALL  width of tables, no colour, letters (ASCII without UTF-8)\n\nWhat runs code: traffic gives the program "
    "and --call to Octave, kernel gives a source to a compiler (--no-run forbids both), cluster starts the launcher. "
    "Matrices, profiles, plans and tables are only read.\n\nA matrix is a file (Matrix Market, Rutherford-Boeing, "
    ".npz; compressed by gzip, bzip2, xz or zstd) or ss:GROUP/NAME, which fetches it from the SuiteSparse Matrix "
    "Collection.\n";

// --help and --version of whichever command was reached.
void answer(const CLI::App& root, const CLI::Success& asked) {
  if (dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr) {
    app::print(std::string(asked.what()) + "\n");
  } else {
    app::print(app::help_page(app::command_text(app::reached_command(root)), app::layout().width));
  }
}

// No option takes "nan", which is in every range, or a number beyond all.
void require_numbers(CLI::App& command) {
  const CLI::Validator finite(
      [](std::string& text) {
        double value = 0;
        const bool number = CLI::detail::lexical_cast(text, value);
        return !number || std::isfinite(value) ? std::string() : text + " is not a finite number";
      },
      "");
  for (CLI::Option* option : command.get_options())
    if (option->get_type_name().starts_with("FLOAT")) option->check(finite);
  for (CLI::App* below : command.get_subcommands({})) require_numbers(*below);
}

// The parser of a line; `parse` does the rest. `words`: the command line, for pages.
// `then` is called when the line was understood, before the command runs.
template <class Parse>
void with_parser(
    const std::vector<std::string>& words, const Parse& parse, void (*then)() = [] {}) {
  app::Globals globals;
  globals.command_line = app::words_as_typed(words);
  CLI::App root("how long sparse code will take, before it runs.", "sparsecast");
  root.set_help_flag("-h,--help", "show this help");
  root.set_version_flag(
      "--version", [&] { return app::version_text(words); }, "show the version and what was built in");
  root.require_subcommand(1);
  for (const Command& one : wanted(words)) one.add(root, globals);
  for (CLI::App* command : root.get_subcommands({})) app::add_globals(*command, globals);
  require_numbers(root);
  root.footer(about_the_program);  // now, or every command would have it
  app::require_command(root, {words.begin() + 1, words.end()});
  root.parse_complete_callback([&] {
    app::refuse_outputs_over_inputs(root);
    set_default_threads(globals.threads);
    base::allow_threads(default_threads());  // --threads is the user's word, whatever OMP_NUM_THREADS says
    then();
  });
  try {
    parse(root);
  } catch (const CLI::Success& asked) {
    answer(root, asked);
  } catch (const CLI::ParseError& wrong) {
    throw app::wrong_usage(root, wrong);
  }
}
}  // namespace

int app::run(int argc, char** argv) {
  teach_command_line();
  with_parser({argv, argv + argc}, [&](CLI::App& root) { root.parse(argc, argv); });
  return 0;
}

void app::check_line(std::vector<std::string> arguments) {
  struct Understood {};
  std::vector<std::string> words = arguments;
  words.insert(words.begin(), "sparsecast");
  std::ranges::reverse(arguments);
  try {
    with_parser(
        words, [&](CLI::App& root) { root.parse(std::move(arguments)); }, [] { throw Understood(); });
  } catch (const Understood&) {
  }
  set_default_threads(0);
}
}  // namespace sparsecast

// A run of the sparsecast command: parses a command line and runs the one command that it names.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
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

// Digits mean what they say: the parser takes "010" for eight, "-5" for a number near 2^64 where none is negative, and
// the largest number for one beyond it, and nothing for 0. Anything but digits is left to the parser. Returns what is
// wrong.
std::string read_whole_number(std::string& text, bool negative_too) {
  if (text.empty()) return "'' is not a number";
  const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
  const bool negative = text.substr(begin, 1) == "-";
  std::string digits = text.substr(begin + (negative || text.substr(begin, 1) == "+" ? 1 : 0));
  if (digits.empty() || digits.find_first_not_of("0123456789") != std::string::npos) return {};
  if (negative && !negative_too) return text + " is negative";
  digits.erase(0, std::min(digits.find_first_not_of('0'), digits.size() - 1));
  std::uint64_t number = 0;
  const auto [rest, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || (negative_too && number > INT64_MAX)) return text + " is too large";
  text = (negative ? "-" : "") + digits;
  return {};
}

// No option takes "nan", which is in every range, or a number beyond all.
void require_numbers(CLI::App& command) {
  const CLI::Validator finite(
      [](std::string& text) {
        double value = 0;
        if (text.empty()) return std::string("'' is not a number");
        const bool number = CLI::detail::lexical_cast(text, value);
        return !number || std::isfinite(value) ? std::string() : text + " is not a finite number";
      },
      "");
  const auto whole = [](bool negative) {
    return CLI::Validator([negative](std::string& text) { return read_whole_number(text, negative); }, "");
  };
  for (CLI::Option* option : command.get_options()) {
    const std::string type = option->get_type_name();
    if (type.starts_with("FLOAT")) option->check(finite);
    if (type.starts_with("INT")) option->transform(whole(true));
    if (type.starts_with("UINT")) option->transform(whole(false));
  }
  for (CLI::App* below : command.get_subcommands({})) require_numbers(*below);
}

// A precision that the command never asked for is told, not dropped.
void remark_idle_precision(const CLI::App& root, const app::Globals& globals) {
  if (globals.precision == "single" && !globals.precision_heeded)
    app::remark(globals, fmt::format("--precision single is without effect on `{}`",
                                     root.get_subcommands().front()->get_name()));
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
    app::require_places(root);
  });
  try {
    parse(root);
    remark_idle_precision(root, globals);
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

// A run of the sparsecast command: parses a command line and runs the one command that it names.

#include <CLI/CLI.hpp>
#include <algorithm>
#include <initializer_list>
#include <mutex>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "app/commands.hpp"
#include "app/run.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace sparsecast {
namespace {

// The commands, in the order in which --help lists them.
constexpr std::initializer_list<app::AddCommand> commands = {
    app::add_devices, app::add_info,    app::add_generate, app::add_calibrate, app::add_predict,
    app::add_compare, app::add_measure, app::add_optimize, app::add_evaluate,  app::add_traffic,
    app::add_kernel,  app::add_cluster, app::add_probe,    app::add_profiles,
};

// The parser with all commands; `parse` does the rest.
template <class Parse>
int with_parser(const Parse& parse) {
  app::Globals globals;
  CLI::App root("How long sparse code will take, before it runs.", "sparsecast");
  root.set_version_flag("--version", app::version_text());
  root.require_subcommand(1);
  for (const app::AddCommand add : commands) add(root, globals);
  for (CLI::App* command : root.get_subcommands({})) app::add_globals(*command, globals);
  root.parse_complete_callback([&] {
    set_default_threads(globals.threads);
    base::allow_threads(default_threads());  // --threads is the user's word, whatever OMP_NUM_THREADS says
  });
  return parse(root);
}

}  // namespace

int app::run(int argc, char** argv) {
  return with_parser([&](CLI::App& root) {
    try {
      root.parse(argc, argv);
      return 0;
    } catch (const CLI::Success& help) {
      return root.exit(help);
    } catch (const CLI::ParseError& wrong) {
      root.exit(wrong);
      return exit_status(ErrorCode::usage);
    }
  });
}

std::string app::run_within(std::vector<std::string> arguments, const Outlet& outlet) {
  static std::mutex one_at_a_time;  // --threads and Ctrl-C are of the whole process
  const std::lock_guard lock(one_at_a_time);
  base::forget_interrupt();
  struct AllCores {
    ~AllCores() { set_default_threads(0); }
  } const afterwards;
  std::string text;
  const UseOutlet use(outlet, text);
  std::ranges::reverse(arguments);  // as CLI11 wants them
  with_parser([&](CLI::App& root) {
    try {
      root.parse(std::move(arguments));
    } catch (const CLI::ParseError& wrong) {
      throw Error(ErrorCode::usage, wrong.what());
    }
    return 0;
  });
  return text;
}

}  // namespace sparsecast

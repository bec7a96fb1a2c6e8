// The sparsecast command: parses the command line, runs one command, turns every error into one line and an exit
// status.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <exception>
#include <initializer_list>
#include <new>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "app/commands.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace {

using namespace sparsecast;

// The commands, in the order in which --help lists them.
constexpr std::initializer_list<app::AddCommand> commands = {
    app::add_devices, app::add_info,    app::add_generate, app::add_calibrate, app::add_predict,
    app::add_compare, app::add_measure, app::add_optimize, app::add_evaluate,  app::add_traffic,
    app::add_kernel,  app::add_cluster, app::add_probe,    app::add_profiles,  app::add_report,
};

extern "C" void on_signal(int) {
  // The second Ctrl-C ends the program at once, should the work not get to a safe place.
  if (base::interrupt_requested()) std::_Exit(exit_status(ErrorCode::interrupted));
  base::request_interrupt();
}

int complain(const char* message, ErrorCode code) {
  std::fprintf(stderr, "sparsecast: %s\n", message);
  return exit_status(code);
}

int run(int argc, char** argv) {
  app::Globals globals;
  globals.command_line = app::words_as_typed({argv, argv + argc});
  CLI::App root("How long sparse code will take, before it runs.", "sparsecast");
  root.set_version_flag("--version", app::version_text());
  root.require_subcommand(1);
  for (const app::AddCommand add : commands) add(root, globals);
  for (CLI::App* command : root.get_subcommands({})) app::add_globals(*command, globals);
  root.parse_complete_callback([&] {
    set_default_threads(globals.threads);
    base::allow_threads(default_threads());  // --threads is the user's word, whatever OMP_NUM_THREADS says
  });
  try {
    root.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& help) {
    return root.exit(help);
  } catch (const CLI::ParseError& wrong) {
    root.exit(wrong);
    return exit_status(ErrorCode::usage);
  }
}

}  // namespace

// Whatever fails, users see one line and the documented exit status.
int main(int argc, char** argv) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return run(argc, argv);
  } catch (const Error& error) {
    return complain(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; close other programs or use a machine with more memory", ErrorCode::failed);
  } catch (const std::exception& error) {
    return complain(error.what(), ErrorCode::failed);
  } catch (...) {
    return complain("failed for an unknown reason", ErrorCode::failed);
  }
}

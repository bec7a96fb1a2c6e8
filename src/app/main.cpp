// The sparsecast command: parses the command line, runs one command, turns every error into one line and an exit
// status.

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <initializer_list>
#include <new>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "app/commands.hpp"
#include "app/terminal/command_text.hpp"
#include "app/terminal/terminal.hpp"
#include "app/terminal/wrong_usage.hpp"
#include "base/interrupt.hpp"
#include "base/threads.hpp"

namespace {

using namespace sparsecast;

// The commands, in the order in which --help lists them.
constexpr std::initializer_list<app::AddCommand> commands = {
    app::add_devices, app::add_info,    app::add_generate,   app::add_calibrate, app::add_predict,
    app::add_compare, app::add_measure, app::add_optimize,   app::add_evaluate,  app::add_traffic,
    app::add_kernel,  app::add_cluster, app::add_probe,      app::add_profiles,  app::add_report,
    app::add_get,     app::add_help,    app::add_completion, app::add_manual,
};

constexpr const char* about_the_program =
    "exit status:\n"
    "  0  done\n"
    "  1  failed\n"
    "  2  wrong usage, or an unknown name\n"
    "  3  bad input (file, line and reason on stderr); of several matrices the others were answered\n"
    "  4  that device or part is not here\n"
    "  130  interrupted\n"
    "\n"
    "environment:\n"
    "  SPARSECAST_HOME  where measurements and fetched matrices are kept\n"
    "  SPARSECAST_COLLECTION_URL  a mirror of the matrix collection, for get and ss:GROUP/NAME\n"
    "  COLUMNS, NO_COLOR, LC_ALL  width of tables, no colour, letters (ASCII without UTF-8)\n"
    "\n"
    "A matrix is a file (Matrix Market, Rutherford-Boeing, .npz; compressed by gzip, bzip2, xz or zstd) or "
    "ss:GROUP/NAME, which fetches it from the SuiteSparse Matrix Collection.\n";

extern "C" void on_signal(int) {
  // The second Ctrl-C ends the program at once, should the work not get to a safe place.
  if (base::interrupt_requested()) std::_Exit(exit_status(ErrorCode::interrupted));
  base::request_interrupt();
}

int ended(const char* message, ErrorCode code) {
  app::complain(message);
  return exit_status(code);
}

// --help and --version of whichever command was reached.
int answer(const CLI::App& root, const CLI::Success& asked) {
  if (dynamic_cast<const CLI::CallForVersion*>(&asked) != nullptr) {
    app::print(std::string(asked.what()) + "\n");
  } else {
    app::print(app::help_page(app::command_text(app::reached_command(root)), app::layout().width));
  }
  return 0;
}

int run(int argc, char** argv) {
  app::Globals globals;
  globals.command_line = app::words_as_typed({argv, argv + argc});
  CLI::App root("how long sparse code will take, before it runs.", "sparsecast");
  root.set_help_flag("-h,--help", "this page, of a command its own");
  root.set_version_flag("--version", app::version_text(), "the version and what was built in");
  root.require_subcommand(1);
  for (const app::AddCommand add : commands) add(root, globals);
  for (CLI::App* command : root.get_subcommands({})) app::add_globals(*command, globals);
  root.footer(about_the_program);  // now, or every command would have it
  app::require_command(root, {argv + 1, argv + argc});
  root.parse_complete_callback([&] {
    set_default_threads(globals.threads);
    base::allow_threads(default_threads());  // --threads is the user's word, whatever OMP_NUM_THREADS says
  });
  try {
    root.parse(argc, argv);
    return 0;
  } catch (const CLI::Success& asked) {
    return answer(root, asked);
  } catch (const CLI::ParseError& wrong) {
    throw app::wrong_usage(root, wrong);
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
    return ended(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return ended("out of memory; close other programs or use a machine with more memory", ErrorCode::failed);
  } catch (const std::exception& error) {
    return ended(error.what(), ErrorCode::failed);
  } catch (...) {
    return ended("failed for an unknown reason", ErrorCode::failed);
  }
}

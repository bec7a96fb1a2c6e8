// The program: turns every error of a run into one line and an exit status.

#include <csignal>
#include <exception>
#include <new>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/run.hpp"
#include "base/guard/cleanup.hpp"

namespace {
using namespace sparsecast;

void say_goodbye() { app::complain("interrupted; what was measured so far is kept"); }

int ended(const char* message, ErrorCode code) {
  app::complain(message);
  return exit_status(code);
}
}  // namespace

// Whatever fails, users see one line and the documented exit status.
int main(int argc, char** argv) {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is told like a full disk
  base::watch_stop_signals(exit_status(ErrorCode::interrupted), say_goodbye);
  try {
    return app::run(argc, argv);
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

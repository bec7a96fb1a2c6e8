// The program: turns every error of a run into one line and an exit status.

#include <csignal>
#include <cstdlib>
#include <exception>
#include <new>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/run.hpp"
#include "base/interrupt.hpp"

namespace {

using namespace sparsecast;

extern "C" void on_signal(int) {
  // The second Ctrl-C ends the program at once, should the work not get to a safe place.
  if (base::interrupt_requested()) std::_Exit(exit_status(ErrorCode::interrupted));
  base::request_interrupt();
}

int ended(const char* message, ErrorCode code) {
  app::complain(message);
  return exit_status(code);
}

}  // namespace

// Whatever fails, users see one line and the documented exit status.
int main(int argc, char** argv) {
  std::signal(SIGINT, on_signal);
  std::signal(SIGTERM, on_signal);
  std::signal(SIGPIPE, SIG_IGN);
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

// The program: turns every error of a run into one line and an exit status.

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>
#include <sparsecast/error.hpp>

#include "app/run.hpp"
#include "base/interrupt.hpp"

namespace {

using namespace sparsecast;

extern "C" void on_signal(int) {
  // The second Ctrl-C ends the program at once, should the work not get to a safe place.
  if (base::interrupt_requested()) std::_Exit(exit_status(ErrorCode::interrupted));
  base::request_interrupt();
}

int complain(const char* message, ErrorCode code) {
  std::fprintf(stderr, "sparsecast: %s\n", message);
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
    return complain(error.what(), error.code());
  } catch (const std::bad_alloc&) {
    return complain("out of memory; close other programs or use a machine with more memory", ErrorCode::failed);
  } catch (const std::exception& error) {
    return complain(error.what(), ErrorCode::failed);
  } catch (...) {
    return complain("failed for an unknown reason", ErrorCode::failed);
  }
}

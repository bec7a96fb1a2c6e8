// The program: turns every error of a run into one line and an exit status.

#include <cxxabi.h>
#include <fcntl.h>
#include <unistd.h>
#include <csignal>
#include <cstdlib>
#include <sparsecast/error.hpp>
#include <typeinfo>

#include "app/commands.hpp"
#include "base/guard/cleanup.hpp"
#include "base/guard/stop_signals.hpp"

namespace {
using namespace sparsecast;

constexpr const char* no_memory = "out of memory; close other programs or use a machine with more memory";

// Memory that ends where no exception may pass (a document's destructor asks for some) is told as elsewhere.
[[noreturn]] void on_terminate() {
  const std::type_info* const what = abi::__cxa_current_exception_type();
  if (what == nullptr || *what != typeid(std::bad_alloc)) std::abort();
  base::remove_leftovers();
  for (const std::string_view part : {"sparsecast: ", no_memory, "\n"})
    static_cast<void>(!::write(STDERR_FILENO, part.data(), part.size()));
  std::_Exit(exit_status(ErrorCode::failed));
}

void say_goodbye() { app::complain("interrupted; what was measured so far is kept"); }

int ended(std::string_view message, ErrorCode code) {
  app::complain(message);
  return exit_status(code);
}
}  // namespace

// Whatever fails, users see one line and the documented exit status.
int main(int argc, char** argv) {
  // A standard stream that is closed is nobody's: else the next pipe or file has its number, and what is printed.
  for (int stream = STDIN_FILENO; stream <= STDERR_FILENO; ++stream)
    if (::fcntl(stream, F_GETFD) < 0) static_cast<void>(::open("/dev/null", O_RDWR));
  std::set_terminate(on_terminate);
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a limit on files is told like a full disk
  base::watch_stop_signals(exit_status(ErrorCode::interrupted), say_goodbye);
  try {
    return app::run(argc, argv);
  } catch (const Error& error) {
    return ended(error.message(Voice::command_line), error.code());
  } catch (const std::bad_alloc&) {
    return ended(no_memory, ErrorCode::failed);
  } catch (const std::exception& error) {
    return ended(error.what(), ErrorCode::failed);
  } catch (...) {
    return ended("failed for an unknown reason", ErrorCode::failed);
  }
}

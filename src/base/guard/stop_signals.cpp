#include "base/guard/stop_signals.hpp"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <system_error>
#include <thread>

#include "base/guard/cleanup.hpp"
#include "base/guard/descendants.hpp"
#include "base/interrupt.hpp"

namespace sparsecast::base {
namespace {
constexpr int patience_ms = 600;
std::array<int, 2> bell{-1, -1};

extern "C" void on_stop_signal(int) {
  const int number = errno;
  request_interrupt();
  const char ring = 1;
  static_cast<void>(!::write(bell[1], &ring, 1));
  errno = number;
}

// False where the time is over.
bool heard(int most_ms) {
  pollfd ready{bell[0], POLLIN, 0};
  for (;;) {
    const int got = ::poll(&ready, 1, most_ms);
    if (got == 0) return false;
    char rung = 0;
    if (got > 0 && ::read(bell[0], &rung, 1) == 1) return true;
  }
}

void watch(int exit_status, void (*farewell)()) {
  while (!heard(-1)) {
  }
  static_cast<void>(heard(patience_ms));
  // A child may start another while it is looked for; those that are left have lost whoever waits for them.
  for (int round = 0; round < 2; ++round) kill_all(descendants_of(::getpid()));
  remove_leftovers();
  farewell();
  std::_Exit(exit_status);
}
}  // namespace

void watch_stop_signals(int exit_status, void (*farewell)()) {
  if (::pipe2(bell.data(), O_CLOEXEC) != 0) bell = {-1, -1};
  ::fcntl(bell[1], F_SETFL, O_NONBLOCK);
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    // Who started us with nohup does not want us to end with the terminal.
    if (signal == SIGHUP && ::sigaction(signal, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    std::signal(signal, on_stop_signal);
  }
  if (bell[0] < 0) return;  // the flag alone must do
  try {
    std::thread(watch, exit_status, farewell).detach();
  } catch (const std::system_error&) {  // no thread to be had: the same
  }
}
}  // namespace sparsecast::base

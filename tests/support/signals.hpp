#pragma once
// Signals to programs that a test starts.

#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>

#include "support/in_time.hpp"

namespace sparsecast::test {

/// Between fork() and exec: signals do what they do to a program that a user starts. nohup, and a shell in whose
/// background the tests run, have some of them ignored by all that is started below.
inline void with_signals_of_a_terminal() {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) std::signal(signal, SIG_DFL);
}

/// Waits until a program that was started listens to a signal: one sent earlier ends it as the system would. False
/// where it ended before that.
inline bool listens_in_time(pid_t id, int signal) {
  bool listens = false;
  in_time([&] {
    std::ifstream status("/proc/" + std::to_string(id) + "/status");
    bool ended = true;  // or nothing is there to be read
    for (std::string line; std::getline(status, line);) {
      if (line.starts_with("State:")) ended = line.find('Z') != std::string::npos;
      if (line.starts_with("SigCgt:")) listens = ((std::stoull(line.substr(7), nullptr, 16) >> (signal - 1)) & 1) != 0;
    }
    return listens || ended;
  });
  return listens;
}

}  // namespace sparsecast::test

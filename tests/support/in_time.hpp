#pragma once
// Waiting in tests for what happens elsewhere. The bound is there against a test that hangs and expects nothing: a
// machine that is busy with other work, or a sanitizer's, may take a hundred times as long as a quiet one.

#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <string>

namespace sparsecast::test {

constexpr std::chrono::seconds longest_wait{120};

/// Waits until the condition holds; false where it never came to hold.
template <class Condition>
bool in_time(const Condition& condition) {
  for (const auto end = std::chrono::steady_clock::now() + longest_wait; std::chrono::steady_clock::now() < end;) {
    if (condition()) return true;
    ::usleep(5'000);
  }
  return condition();
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

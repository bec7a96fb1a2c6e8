#pragma once
// Waiting in tests for what happens elsewhere. The bound is there against a test that hangs and expects nothing: a
// machine that is busy with other work, or a sanitizer's, may take a hundred times as long as a quiet one.

#include <unistd.h>

#include <chrono>

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

}  // namespace sparsecast::test

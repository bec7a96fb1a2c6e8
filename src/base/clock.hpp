#pragma once
// The two clocks: one that never goes back, for how long something takes, and the calendar's, for when it was.

#include <chrono>
#include <string>

namespace sparsecast::base {
/// Seconds on the steady clock since some moment in the past. Inline: the host's timing loops read it around products
/// that take less than a microsecond.
[[nodiscard]] inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

[[nodiscard]] std::string utc_now();  ///< "2026-01-31T12:00:00Z"
}  // namespace sparsecast::base

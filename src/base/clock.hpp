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

// How fast a core runs now. The clock of a modern processor moves by several percent with its temperature and with what
// its neighbours do, a guest of a virtual machine cannot read it, and every time measured from the caches moves along.

/// Seconds that one step of a chain of dependent integer arithmetic takes on this core now: a fixed number of cycles,
/// so proportional to the clock's period. The shortest of `chains` chains, which take about 10 µs each.
[[nodiscard]] double core_step_seconds(int chains = 3);
}  // namespace sparsecast::base

#pragma once
// Passing over iterations of a long loop: what the driver (warp_run.cpp) remembers of one, and how far a leap may go.

#include <array>
#include <cstdint>
#include <vector>

#include "gpu_code/trace/code.hpp"
#include "gpu_code/trace/lane_schedule.hpp"
#include "gpu_code/trace/trace_recorder.hpp"

namespace sparsecast::gpu_code {
/// A long loop is not run to its end: n iterations are passed over at once (registers that moved evenly are moved on,
/// the others keep their value), one is tried, and n doubles while the loop goes on and halves where it ends. That
/// finds the trip count exactly wherever the loop's condition is monotone; a test for equality, which a leap would
/// pass, bounds it.
struct Leaps {
  enum class Phase : std::uint8_t { idle, seen_once, seen_twice, trying, landing } phase = Phase::idle;
  std::vector<Lanes> first, second;  ///< registers at two visits of the head
  std::vector<Lanes> stride;         ///< by which an iteration moves them
  std::int64_t step = 16;            ///< iterations to pass over
  bool growing = true;
  std::int32_t run_on = 0;  ///< visits of the head until the next leap, where a test for equality is near; 0: no more
  // The last place where the loop was certain to go on:
  std::vector<Lanes> registers;
  std::vector<LaneMask> known;
  LaneMask mask = 0;
  LaneSchedule lanes;
  std::array<std::int64_t, 32> visits{};
  TraceCounts counts;
  std::int64_t steps = 0;
  std::vector<std::array<std::int64_t, 2>> open;  ///< instructions kept and skipped of every loop that was open
};

/// A loop that a warp is in.
struct ActiveLoop {
  Leaps leaps;
  std::int32_t loop = -1;
  std::int64_t iterations = 0;
  std::int64_t kept = 0;  ///< instructions recorded since the loop was entered
  std::int64_t skipped = 0;
  std::int32_t tests_passed = 0;  ///< tests for equality that leaps stopped at
  bool muted = false;
};

/// How many iterations may be passed over before a test for equality within the loop turns out otherwise than it does
/// now, if registers go on by `stride` an iteration. A huge number where there is none; less than 1 where it is near.
[[nodiscard]] std::int64_t iterations_to_equality(const Code& code, const CodeLoop& loop,
                                                  const std::vector<Lanes>& registers, const std::vector<Lanes>& stride,
                                                  LaneMask mask);
}  // namespace sparsecast::gpu_code

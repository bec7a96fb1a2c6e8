#pragma once
// Which lanes of a warp run next: those at the lowest address, which brings diverged lanes of structured code together
// again. Lanes in a called function go before all others, since it lies behind the code that waits for its return.
// Private to the driver (warp_run.cpp).

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <vector>

#include "gpu_code/trace/machine.hpp"
#include "gpu_code/trace/trace_recorder.hpp"

namespace sparsecast::gpu_code {
/// Lanes mostly stand together: then one number says where, and the array of all is not kept up to date.
class LaneSchedule {
 public:
  void start(LaneMask lanes) {
    alive_ = lanes;
    together_ = true;
    pc_ = 0;
    depth_.fill(0);
  }
  [[nodiscard]] LaneMask alive() const { return alive_; }

  struct Turn {
    std::int32_t pc;
    LaneMask lanes;
    std::uint8_t depth;  ///< functions that are called and not returned from
  };
  /// Of a warp in which a lane is alive.
  [[nodiscard]] Turn next() {
    if (together_) return {pc_, alive_, depth_[static_cast<std::size_t>(std::countr_zero(alive_))]};
    Turn turn{INT32_MAX, 0, 0};
    for (const std::size_t lane : LanesOf{alive_}) {
      const auto depth = depth_[lane];
      if (depth < turn.depth || (depth == turn.depth && each_[lane] > turn.pc)) continue;
      if (depth > turn.depth || each_[lane] < turn.pc) turn = {each_[lane], 0, depth};
      turn.lanes |= LaneMask{1} << lane;
    }
    together_ = turn.lanes == alive_;
    pc_ = turn.pc;
    return turn;
  }
  /// The lanes of a turn go on to the next instruction.
  void step(const Turn& turn) { move(turn.lanes, turn.pc + 1); }
  void move(LaneMask lanes, std::int32_t to) {
    if (lanes == alive_) {
      together_ = true;
      pc_ = to;
    } else if (lanes != 0) {
      spread();
      put(lanes, to);
    }
  }
  void call(LaneMask lanes, std::int32_t to) {
    for (const std::size_t lane : LanesOf{lanes}) ++depth_[lane];
    move(lanes, to);
  }
  void come_back(LaneMask lanes, std::int32_t to) {
    for (const std::size_t lane : LanesOf{lanes})
      if (auto& depth = depth_[lane]; depth > 0) --depth;
    move(lanes, to);
  }
  void end(LaneMask lanes) { alive_ &= ~lanes; }

 private:
  void put(LaneMask lanes, std::int32_t to) {
    for (const std::size_t lane : LanesOf{lanes}) each_[lane] = to;
  }
  void spread() {
    if (together_) each_.fill(pc_);
    together_ = false;
  }

  LaneMask alive_ = 0;
  bool together_ = true;
  std::int32_t pc_ = 0;
  std::array<std::int32_t, 32> each_{};
  std::array<std::uint8_t, 32> depth_{};
};

// Passing over iterations of a long loop: what the driver (warp_run.cpp) remembers of one, and how far a leap may go.

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
  std::int64_t kept = 0;           ///< instructions recorded since the loop was entered
  std::int64_t window_start = -1;  ///< position in the trace of the window mark
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

#pragma once
// Which lanes of a warp run next: those at the lowest address, which brings diverged lanes of structured code together
// again. Lanes in a called function go before all others, since it lies behind the code that waits for its return.
// Private to the driver (warp_run.cpp).

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "gpu_code/trace/lanes.hpp"

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
}  // namespace sparsecast::gpu_code

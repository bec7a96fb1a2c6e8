#pragma once
// What one warp's run leaves in the trace of its block: its steps, what its memory instructions touched, and counts
// that can be taken back or multiplied for iterations that were passed over. Private to the driver (warp_run.cpp).

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
/// Distinct cache lines with the sectors touched.
class LineSet {
 public:
  void add(LineAccess access) { sectors_[access.line] |= access.sectors; }
  [[nodiscard]] std::size_t size() const { return sectors_.size(); }
  [[nodiscard]] std::vector<LineAccess> sorted() const {
    std::vector<LineAccess> lines;
    for (const auto& [line, sectors] : sectors_) lines.push_back({line, sectors});
    std::ranges::sort(lines, {}, &LineAccess::line);
    return lines;
  }

 private:
  std::unordered_map<std::uint64_t, std::uint8_t> sectors_;
};

/// Totals at one moment: what an iteration adds is the difference of two.
struct TraceCounts : TraceTotals {
  std::size_t lines_loaded = 0, lines_stored = 0;
};

class TraceRecorder {
 public:
  TraceRecorder(const Launch& launch, BlockTrace& trace, std::size_t warp, std::int64_t block, LineSet& loaded,
                LineSet& stored)
      : launch_(launch), trace_(trace), steps_(trace.warps[warp]), loaded_(loaded), stored_(stored) {
    // Every warp of every block draws its own scattered addresses.
    random_ ^= (static_cast<std::uint64_t>(block) * 1024 + warp + 1) * 0x9e3779b97f4a7c15u;
  }

  /// An instruction ran for the lanes that stood there; `keep`: as a step of the trace.
  void record(std::int32_t pc, LaneMask active, const StepOutcome& outcome, bool keep);
  void mark_window(std::int32_t loop) { steps_.push_back({TraceStep::window_mark, loop}); }
  void mark_skip(const Skip& skip) {
    steps_.push_back({TraceStep::skip_mark, static_cast<std::int32_t>(trace_.skips.size())});
    trace_.skips.push_back(skip);
  }
  void iterate_loop(std::int32_t loop) { ++trace_.loop_iterations[static_cast<std::size_t>(loop)]; }
  void assume() { trace_.assumed = true; }
  void lose_side() { trace_.side_lost = true; }
  /// A branch that nothing decides fell through.
  void leave_undecided(std::int32_t pc) {
    const auto place = std::ranges::lower_bound(trace_.undecided, pc);
    if (place == trace_.undecided.end() || *place != pc) trace_.undecided.insert(place, pc);
  }

  [[nodiscard]] TraceCounts counts() const { return {trace_, loaded_.size(), stored_.size()}; }
  void restore(const TraceTotals& totals) { static_cast<TraceTotals&>(trace_) = totals; }
  /// Adds `times` what has been counted since.
  void account(const TraceCounts& since, std::int64_t times);

 private:
  std::int32_t access(std::size_t pc, const MemoryAccess& access, bool keep);
  [[nodiscard]] MemoryAccess placed(MemoryAccess access);
  [[nodiscard]] std::uint64_t next_random() {
    random_ = random_ * 6364136223846793005u + 1442695040888963407u;
    return random_ >> 24;
  }

  const Launch& launch_;
  BlockTrace& trace_;
  std::vector<TraceStep>& steps_;
  LineSet &loaded_, &stored_;
  std::uint64_t random_ = 88172645463325252u;
};
}  // namespace sparsecast::gpu_code

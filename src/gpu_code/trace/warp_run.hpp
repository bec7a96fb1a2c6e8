#pragma once
// The driver: runs a block's warps one at a time, PTX and machine code alike. The result is a trace per warp: which
// instructions ran, how often, and which bytes they touched.

#include <algorithm>

#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/machine.hpp"

namespace sparsecast::gpu_code {
/// What one executed memory instruction touched.
struct AccessRecord {
  MemorySpace space = MemorySpace::global;
  bool store = false, atomic = false, bypass_l1 = false;
  std::uint8_t bytes = 4;
  std::uint8_t lanes = 0;  ///< active lanes
  std::uint16_t wavefronts =
      1;  ///< shared: conflict-free passes; constant: distinct words; global: passes in the first level
  std::uint32_t first_line = 0, lines = 0;  ///< range of BlockTrace::line_pool
  std::uint64_t first_address = 0;          ///< of the lowest lane
};

/// One step of a warp's trace. `instruction` ≥ 0 ran; negative ones are marks (see below).
struct TraceStep {
  std::int32_t instruction = 0;
  std::int32_t detail = -1;  ///< access record; of a skip: the index in BlockTrace::skips
  static constexpr std::int32_t window_mark = -1, skip_mark = -2;
};

/// Iterations of a loop that ran but are not in the trace: they cost as much per instruction as those since the window
/// mark.
struct Skip {
  std::int32_t loop = 0;
  std::int64_t instructions = 0;         ///< left out
  std::int64_t window_instructions = 0;  ///< between the window mark and here
};

/// Totals over all executed steps, also those left out of the trace.
struct TraceTotals {
  std::vector<std::int64_t> executed;         ///< per instruction: warps that ran it
  std::vector<std::int64_t> executed_lanes;   ///< per instruction: active lanes
  std::vector<std::int64_t> wavefronts;       ///< per memory instruction
  std::vector<std::int64_t> sectors;          ///< per global memory instruction
  std::vector<std::int64_t> loop_iterations;  ///< per loop: visits of the head by a warp
  std::int64_t unknown_addresses = 0;
};

struct BlockTrace : TraceTotals {
  std::vector<std::vector<TraceStep>> warps;
  std::vector<AccessRecord> accesses;
  std::vector<LineAccess> line_pool;
  std::vector<Skip> skips;
  std::vector<LineAccess> loaded, stored;       ///< distinct global lines and sectors of the whole block, ascending
  double unseen_loaded = 0, unseen_stored = 0;  ///< lines that iterations passed over would add to them
  bool assumed = false;                         ///< some branch or address was not known and was assumed
  /// Warp instructions that ran.
  [[nodiscard]] double work() const {
    double total = 0;
    for (const auto e : executed) total += static_cast<double>(e);
    return total;
  }
};

struct TraceOptions {
  std::int64_t window = 1500;            ///< instructions of a loop's iterations kept in the trace before skipping
  std::int64_t most_steps = 60'000'000;  ///< per block, over all warps
  /// Of the processor, per block: so much a warp, at least and at most so much in all. Who waits hears within ten
  /// seconds.
  double most_warp_s = 2, most_s = 4, most_block_s = 9;
  double end_by_s = 0;  ///< by the thread's clock; run_block sets it
  int only_warp = -1;   ///< run only this warp
  bool keep_trace = true;
};

/// Runs one block; past a part of most_steps long loops are passed over in leaps. Error failed where that is not
/// enough; bad_input from Code::ask.
[[nodiscard]] BlockTrace run_block(const Code& code, const Launch& launch, const Dim3& block,
                                   const TraceOptions& options);

// How many bytes a launch moves from memory: the distinct lines of one block, shifted to the places of the others.
// Blocks that run at the same time share what they touch through the second-level cache; so do neighbouring waves where
// it fits.

/// Bytes by which a block's accesses to one buffer (address >> 40) move per step of its index in x, y and z.
struct BufferShift {
  std::uint64_t buffer = 0;
  std::array<std::int64_t, 3> step{};
};

struct LaunchFootprint {
  std::vector<BufferShift> shifts;
  double block_loaded_sectors = 0, block_stored_sectors = 0;  ///< distinct, of one block
  double memory_load_sectors = 0;                             ///< sectors asked of memory by the whole launch
  double memory_load_bytes = 0, memory_store_bytes = 0;       ///< that memory moves for them
  double working_set_bytes = 0;                               ///< lines of the whole launch, in bytes
  bool fits_l2 = false;                                       ///< then a repeated launch finds all of it there
  [[nodiscard]] std::int64_t shift(std::uint64_t buffer, const Dim3& from, const Dim3& to) const;
};

/// `block` is the trace of block `base`; neighbours are run (one warp each) to see how addresses move.
[[nodiscard]] LaunchFootprint launch_footprint(const Code& code, const Launch& launch, const Dim3& base,
                                               const BlockTrace& block, const KernelTimes& times, int resident_blocks);

// What one warp's run leaves in the trace of its block: its steps, what its memory instructions touched, and counts
// that can be taken back or multiplied for iterations that were passed over. Private to the driver (warp_run.cpp).

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

  /// An instruction ran; `keep`: as a step of the trace.
  void record(std::int32_t pc, const StepOutcome& outcome, bool keep);
  void mark_window(std::int32_t loop) { steps_.push_back({TraceStep::window_mark, loop}); }
  void mark_skip(const Skip& skip) {
    steps_.push_back({TraceStep::skip_mark, static_cast<std::int32_t>(trace_.skips.size())});
    trace_.skips.push_back(skip);
  }
  void iterate_loop(std::int32_t loop) { ++trace_.loop_iterations[static_cast<std::size_t>(loop)]; }
  void assume() { trace_.assumed = true; }

  [[nodiscard]] TraceCounts counts() const { return {trace_, loaded_.size(), stored_.size()}; }
  void restore(const TraceTotals& totals) { static_cast<TraceTotals&>(trace_) = totals; }
  /// Adds `times` what has been counted since.
  void account(const TraceCounts& since, std::int64_t times);

 private:
  std::int32_t access(std::size_t pc, const MemoryAccess& access, bool keep);

  const Launch& launch_;
  BlockTrace& trace_;
  std::vector<TraceStep>& steps_;
  LineSet &loaded_, &stored_;
  std::uint64_t random_ = 88172645463325252u;
};

// Which lanes of a warp run next: those at the lowest address, which brings diverged lanes of structured code together
// again. Lanes in a called function go before all others, since it lies behind the code that waits for its return.
// Private to the driver (warp_run.cpp).

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

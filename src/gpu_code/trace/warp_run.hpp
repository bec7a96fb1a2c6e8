#pragma once
// The driver: runs a block's warps one at a time, PTX and machine code alike. The result is a trace per warp: which
// instructions ran, how often, and which bytes they touched.

#include <cstdint>
#include <vector>

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
}  // namespace sparsecast::gpu_code

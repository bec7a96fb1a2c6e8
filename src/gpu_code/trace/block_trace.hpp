#pragma once
// The trace of a block: which instructions every warp ran, how often, and which bytes they touched.

#include <cstdint>
#include <vector>

#include "gpu_code/trace/access_passes.hpp"

namespace sparsecast::gpu_code {
/// What one executed memory instruction touched.
struct AccessRecord {
  MemorySpace space = MemorySpace::global;
  bool store = false, atomic = false, bypass_l1 = false;
  std::uint8_t bytes = 4;
  std::uint8_t lanes = 0;          ///< active lanes
  std::uint8_t unknown_lanes = 0;  ///< of these, lanes whose address is not known
  std::uint16_t wavefronts =
      1;  ///< shared: conflict-free passes; constant: distinct words; global: passes in the first level
  std::uint32_t first_line = 0, lines = 0;  ///< range of BlockTrace::line_pool
  std::uint64_t first_address = 0;          ///< of the lowest lane
};

/// One step of a warp's trace. `instruction` ≥ 0 ran; negative ones are marks (see below).
struct TraceStep {
  std::int32_t instruction = 0;
  std::int32_t detail = -1;  ///< access record; of a skip: the index in BlockTrace::skips
  LaneMask active = 0;       ///< lanes that stood there; 0 of a mark
  LaneMask lanes = 0;        ///< of these, lanes that its guard left on
  LaneMask unsure = 0;       ///< of these, lanes whose guard is not known: their registers may stay as they were
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
  std::uint64_t shared_end = 0;  ///< bytes of the block's shared memory up to the last that is surely reached
  bool assumed = false;          ///< some branch or address was not known and was assumed
  bool side_lost = false;        ///< a lone lane came to a branch that is not known: it took one side
  /// Branches on unknown data that took the side that falls through, as lanes were not to diverge and Launch::sides did
  /// not decide; ascending.
  std::vector<std::int32_t> undecided;
  /// Warp instructions that ran.
  [[nodiscard]] double work() const {
    double total = 0;
    for (const auto e : executed) total += static_cast<double>(e);
    return total;
  }
};
}  // namespace sparsecast::gpu_code

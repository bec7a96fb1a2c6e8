#pragma once
// One multiprocessor running the blocks that fall to it, as a max-plus recursion: every instruction of every warp is an
// event whose time is the maximum over what it waits for (its warp's order, scoreboards, the issue slot, its pipe, the
// load/store unit, caches and memory as servers), plus a time. The recursion is run over the traces of block_trace.hpp
// for as many whole waves of blocks as the budget of instructions allows (six at most) and the last, partial one. The
// period is the mean time of the waves after the first; waves that are not run take a period each. The result is never
// below the busy cycles of a resource.

#include <cstdint>
#include <functional>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
/// Shift in bytes of the accesses to each buffer (address >> 40) for a block at this position of the multiprocessor's
/// queue.
using BlockShift = std::function<std::int64_t(std::int64_t position, std::uint64_t buffer)>;

struct MultiprocessorLoad {
  std::int64_t blocks = 1;  ///< that this multiprocessor runs
  int resident = 1;         ///< at once
  std::int64_t l1_bytes = 32768;
  double memory_share_loads = 1,
         memory_share_stores = 1;  ///< share of the sectors that go past the second-level cache to memory
  double memory_overfetch = 1;     ///< bytes that memory moves per byte asked of it by loads
  int sharers = 1;                 ///< multiprocessors that share the second-level cache and memory at this time
  std::int64_t most_instructions = 600'000;
};

struct MultiprocessorRun {
  double cycles = 0;            ///< for all its blocks
  double wave_cycles = 0;       ///< mean time of a wave of `resident` blocks after the first
  double transient_cycles = 0;  ///< cycles − full waves × wave_cycles
  /// What a block keeps each resource busy; of the busiest partition where each has one.
  std::vector<std::pair<std::string_view, double>> busy;
  double l1_load_sectors = 0, l1_missed_sectors = 0, stored_sectors = 0;
};

[[nodiscard]] MultiprocessorRun run_multiprocessor(const TimedCode& code, const BlockTrace& trace,
                                                   const KernelTimes& times, const MultiprocessorLoad& load,
                                                   const BlockShift& shift);
}  // namespace sparsecast::gpu_code

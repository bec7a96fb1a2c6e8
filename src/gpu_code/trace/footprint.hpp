#pragma once
// How many bytes a launch moves from memory: the distinct lines of one block, shifted to the places of the others.
// Blocks that run at the same time share what they touch through the second-level cache; so do neighbouring waves where
// it fits.

#include <array>
#include <cstdint>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
/// Bytes by which a block's accesses to one buffer (address >> 40) move per step of its index in x, y and z.
struct BufferShift {
  std::uint64_t buffer = 0;
  std::array<std::int64_t, 3> step{};
};

/// Atomic operations of a whole launch on global memory.
struct AtomicTraffic {
  double passes = 0;                ///< at known addresses: an access on a line, as often as lanes name one address
  double hottest_passes = 0;        ///< of them on the lines that most is asked of, wave after wave
  double scattered_operations = 0;  ///< at addresses that depend on unknown data
  double block_shared_unknown = 0;  ///< passes that a block adds in shared memory if such lanes met at one address
  bool lanes_meet = false;          ///< lanes of one warp name one address
};

struct LaunchFootprint {
  std::vector<BufferShift> shifts;
  double block_loaded_sectors = 0, block_stored_sectors = 0;  ///< distinct, of one block
  double memory_load_sectors = 0;                             ///< sectors asked of memory by the whole launch
  double memory_load_bytes = 0, memory_store_bytes = 0;       ///< that memory moves for them
  double working_set_bytes = 0;                               ///< lines of the whole launch, in bytes
  bool fits_l2 = false;                                       ///< then a repeated launch finds all of it there
  AtomicTraffic atomics;
  [[nodiscard]] std::int64_t shift(std::uint64_t buffer, const Dim3& from, const Dim3& to) const;
};

/// `block` is the trace of block `base`; neighbours are run (one warp each) to see how addresses move.
[[nodiscard]] LaunchFootprint launch_footprint(const Code& code, const Launch& launch, const Dim3& base,
                                               const BlockTrace& block, const KernelTimes& times, int resident_blocks);
}  // namespace sparsecast::gpu_code

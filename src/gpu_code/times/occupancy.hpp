#pragma once
// How many blocks of a kernel a multiprocessor holds, and what keeps it from holding more.

#include <cstdint>
#include <string>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// What one kernel takes of a multiprocessor.
struct KernelResources {
  int registers = 32;             ///< per thread
  std::int64_t shared_bytes = 0;  ///< per block, static and dynamic
  std::int64_t spill_bytes = 0;   ///< local memory per thread
  bool from_compiler = false;     ///< ptxas said so; else estimated from the PTX
};

struct Occupancy {
  int blocks = 0;  ///< resident per multiprocessor
  int warps = 0;
  std::string limited_by;     ///< "warps", "blocks", "registers", "shared memory", "grid"
  std::int64_t l1_bytes = 0;  ///< what shared memory leaves
};
/// Error bad_input where not even one block fits.
[[nodiscard]] Occupancy occupancy(const KernelTimes& times, const KernelResources& resources,
                                  std::int64_t threads_per_block);
}  // namespace sparsecast::gpu_code

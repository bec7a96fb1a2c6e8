#include "gpu_code/times/kernel_times_ranges.hpp"

namespace sparsecast::gpu_code {

std::span<const base::NumberRange> kernel_times_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"architecture", 0, 10000, whole},
      {"multiprocessors", 1, 1e6, whole},
      {"partitions", 1, 16, whole},
      {"max_warps", 1, 1024, whole},
      {"max_blocks", 1, 1024, whole},
      {"registers", 1, 1e9, whole},
      {"shared_max_bytes", 0, 1e9, whole},
      {"shared_reserved_bytes", 0, 1e9, whole},
      {"shared_unit_bytes", 1, 1e9, whole},
      {"unified_bytes", 0, 1e9, whole},
      {"carveouts_bytes[]", 0, 1e9, whole},
      {"clock_hz", 0, most_rate, above},
      {"base_clock_hz", 0, most_rate},
      {"boost_after_s", 0, most_seconds},
      {"memory_bandwidth", 0, most_rate, above},
      {"memory_efficiency", 0, 1, above},
      {"memory_access_bytes", 32, 64, whole},
      {"l2_bytes", 0, most_stored_bytes, whole},
      {"l2_partitions", 1, 1024, whole},
      {"l2_bytes_per_cycle", 0, 1e9, above},
      {"l2_efficiency", 0, 1, above},
      {"l2_to_sm_bytes_per_cycle", 0, 1e9},
      {"shared_bytes_per_cycle", 0, 1e9, above},
      {"l1_bytes_per_cycle", 0, 1e9, above},
      {"launch_s", 0, most_seconds},
      {"pipe_cycles{}", 0, 1e6},
      {"latency_cycles{}", 0, 1e6},
      {"code_caches{}", 0, 1e9},
  };
  return table;
}

}  // namespace sparsecast::gpu_code

#include "gpu_code/times/kernel_times_ranges.hpp"

namespace sparsecast::gpu_code {

std::span<const base::NumberRange> kernel_times_ranges() {
  using namespace base;
  static constexpr NumberRange table[] = {
      {"architecture", 0, 10000, .whole = true},
      {"multiprocessors", 1, 1e6, .whole = true},
      {"partitions", 1, 16, .whole = true},
      {"max_warps", 1, 1024, .whole = true},
      {"max_blocks", 1, 1024, .whole = true},
      {"registers", 1, 1e9, .whole = true},
      {"shared_max_bytes", 0, 1e9, .whole = true},
      {"shared_reserved_bytes", 0, 1e9, .whole = true},
      {"shared_unit_bytes", 1, 1e9, .whole = true},
      {"unified_bytes", 0, 1e9, .whole = true},
      {"carveouts_bytes[]", 0, 1e9, .whole = true},
      {"clock_hz", 0, most_rate, .above = true},
      {"base_clock_hz", 0, most_rate},
      {"boost_after_s", 0, most_seconds},
      {"memory_bandwidth", 0, most_rate, .above = true},
      {"memory_efficiency", 0, 1, .above = true},
      {"memory_access_bytes", 32, 64, .whole = true},
      {"l2_bytes", 0, most_stored_bytes, .whole = true},
      {"l2_partitions", 1, 1024, .whole = true},
      {"l2_bytes_per_cycle", 0, 1e9, .above = true},
      {"l2_efficiency", 0, 1, .above = true},
      {"l2_to_sm_bytes_per_cycle", 0, 1e9},
      {"shared_bytes_per_cycle", 0, 1e9, .above = true},
      {"l1_bytes_per_cycle", 0, 1e9, .above = true},
      {"launch_s", 0, most_seconds},
      {"pipe_cycles{}", 0, 1e6},
      {"latency_cycles{}", 0, 1e6},
  };
  return table;
}

}  // namespace sparsecast::gpu_code

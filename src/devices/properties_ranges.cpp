#include "devices/properties_ranges.hpp"

namespace sparsecast::devices {

std::span<const base::NumberRange> properties_ranges() {
  using namespace base;
  using enum Numbers;
  static constexpr NumberRange table[] = {
      {"compute_units", 0, 1e9, whole},
      {"warp_size", 1, 1e9, whole},
      {"warps_per_unit", 0, 1e9, whole},
      {"threads_per_unit", 0, 1e9, whole},
      {"max_threads_per_block", 1, 1e9, whole},
      {"rows_per_chunk", 0, 1e9, whole},
      {"memory_bytes", 0, most_stored_bytes, whole},
      {"memory_bandwidth", 0, most_rate},
      {"clock_hz", 0, most_rate},
      {"base_clock_hz", 0, most_rate},
      {"launch_s", 0, most_seconds},
      {"power_w", 0, 1e9},
      {"sockets", 0, 1e9, whole},
      {"numa_domains", 0, 1e9, whole},
      {"memory_channels", 0, 1e9, whole},
      {"vector_bits", 0, 1e9, whole},
      {"caches[].level", 1, 100, whole},
      {"caches[].size_bytes", 0, most_stored_bytes, whole},
      {"caches[].line_bytes", 0, 1e9, whole},
      {"caches[].shared_by", 1, 1e9, whole},
      {"limits{}", 0, most_rate},
  };
  return table;
}

}  // namespace sparsecast::devices

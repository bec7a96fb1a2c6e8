#include "devices/properties_ranges.hpp"

namespace sparsecast::devices {

std::span<const base::NumberRange> properties_ranges() {
  using namespace base;
  static constexpr NumberRange table[] = {
      {"compute_units", 0, 1e9, .whole = true},
      {"warp_size", 1, 1e9, .whole = true},
      {"warps_per_unit", 0, 1e9, .whole = true},
      {"threads_per_unit", 0, 1e9, .whole = true},
      {"max_threads_per_block", 1, 1e9, .whole = true},
      {"rows_per_chunk", 0, 1e9, .whole = true},
      {"memory_bytes", 0, most_stored_bytes, .whole = true},
      {"memory_bandwidth", 0, most_rate},
      {"clock_hz", 0, most_rate},
      {"base_clock_hz", 0, most_rate},
      {"launch_s", 0, most_seconds},
      {"power_w", 0, 1e9},
      {"sockets", 0, 1e9, .whole = true},
      {"numa_domains", 0, 1e9, .whole = true},
      {"memory_channels", 0, 1e9, .whole = true},
      {"vector_bits", 0, 1e9, .whole = true},
      {"caches[].level", 1, 100, .whole = true},
      {"caches[].size_bytes", 0, most_stored_bytes, .whole = true},
      {"caches[].line_bytes", 0, 1e9, .whole = true},
      {"caches[].shared_by", 1, 1e9, .whole = true},
      {"limits{}", 0, most_rate},
  };
  return table;
}

}  // namespace sparsecast::devices

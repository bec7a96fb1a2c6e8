#include "formats/simd/prefetch.hpp"

#include <fstream>
#include <string>

namespace sparsecast::formats {
// The kernel's own table. (sysconf(_SC_LEVEL3_CACHE_SIZE) said 320 MB of the 32 MB of a virtual AMD EPYC.)
std::int64_t last_cache_bytes() {
  static const std::int64_t bytes = [] {
    std::int64_t last = 0;
    for (int index = 0; index < 16; ++index) {
      std::ifstream file("/sys/devices/system/cpu/cpu0/cache/index" + std::to_string(index) + "/size");
      std::int64_t size = 0;
      char unit = ' ';
      if (!(file >> size)) break;
      if (file >> unit) size <<= unit == 'K' ? 10 : unit == 'M' ? 20 : unit == 'G' ? 30 : 0;
      if (size > last) last = size;
    }
    return last;
  }();
  return bytes;
}
}  // namespace sparsecast::formats

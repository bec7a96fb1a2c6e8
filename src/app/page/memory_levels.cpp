#include "app/page/memory_levels.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/curve.hpp"

namespace sparsecast::app {
std::vector<MemoryLevel> memory_levels(const Profile& profile, int threads) {
  const DeviceProperties& p = profile.properties;
  const auto memory = static_cast<double>(p.memory_bytes);
  const Curve* curve = profile.curve("read_bandwidth", threads);
  if (curve == nullptr || !base::usable(*curve)) {
    if (!(p.memory_bandwidth > 0)) return {};
    return {{"memory", memory, p.memory_bandwidth}};
  }
  // What starting the threads costs would hide a cache of their own: there it is so many times what one reads.
  const Curve* alone = threads > 1 ? profile.curve("read_bandwidth", 1) : nullptr;
  const auto rate = [&](double footprint, bool own) {
    return own && alone != nullptr && base::usable(*alone) ? threads * base::value_at(*alone, footprint / threads)
                                                           : base::value_at(*curve, footprint);
  };
  std::vector<MemoryLevel> levels;
  const double smallest = curve->x.front(), largest = curve->x.back();
  double below = 0;
  for (const CacheLevel& cache : p.caches) {
    // A level is shared by threads of the host, by compute units elsewhere.
    const int units = threads > 0 ? threads : p.compute_units;
    const int caches = std::max(1, units / std::max(1, cache.shared_by));
    const double bytes = static_cast<double>(cache.size_bytes) * caches;
    const double footprint = std::max(bytes / 2, std::min(bytes, 2 * below));
    if (bytes > below && footprint >= smallest && footprint <= largest)
      levels.push_back({fmt::format("L{}", cache.level), bytes, rate(footprint, caches == threads)});
    below = std::max(below, bytes);
  }
  if (largest > below) levels.push_back({"memory", memory, base::value_at(*curve, largest)});
  return levels;
}
}  // namespace sparsecast::app

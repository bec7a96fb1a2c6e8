#include "forecast/physical/x_misses.hpp"

#include <algorithm>

namespace sparsecast::forecast {
namespace {

using formats::Workload;

bool counts(const CacheLevel& cache) { return cache.level >= 1 && cache.level <= 3 && cache.size_bytes > 0; }

}  // namespace

double too_large(double capacity, const Workload& w) {
  const double fill = capacity / std::max(w.format_bytes, 1.0), square = fill * fill;
  return 1 / (1 + square * square);
}

MissShares::MissShares(const XReuse& reuse, const DeviceProperties& properties) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) {
    if (!counts(cache)) continue;
    const double lines = static_cast<double>(cache.size_bytes) / 2 / cache_line_bytes;
    const auto level = static_cast<std::size_t>(cache.level - 1);
    missed[level] = reuse.miss_share(lines);
    followed[level] = std::min(missed[level], reuse.followed_share(lines));
    last = std::max(last, lines);
  }
  if (last > 0) followed_again = std::max(0.0, reuse.followed_share(last) - reuse.cold_followed);
  for (int level = 0; level < Workload::scatter_levels; ++level) {
    const double lines = Workload::scatter_capacity(level) / cache_line_bytes;
    scattered[static_cast<std::size_t>(level)] = std::max(0.0, reuse.miss_share(lines) - reuse.followed_share(lines));
  }
}

void count_misses(const MissShares& shares, double reads, const DeviceProperties& properties, int threads,
                  Workload& w) {
  double last = 1;
  for (const CacheLevel& cache : properties.caches) {
    if (!counts(cache)) continue;
    const auto capacity = static_cast<double>(cache.size_bytes);
    const double together = cache.level < 3 ? capacity * threads : capacity;  // every core has caches of its own
    const auto level = static_cast<std::size_t>(cache.level - 1);
    const double missing = reads * too_large(together, w);
    w.misses[level] = missing * shares.missed[level];
    w.followed[level] = missing * shares.followed[level];
    last = std::max(last, together);
  }
  w.followed_again = reads * shares.followed_again * too_large(last, w);
  for (int level = 0; level < Workload::scatter_levels; ++level)
    w.scattered[static_cast<std::size_t>(level)] =
        reads * shares.scattered[static_cast<std::size_t>(level)] * too_large(Workload::scatter_capacity(level), w);
}

}  // namespace sparsecast::forecast

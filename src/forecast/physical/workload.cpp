#include "forecast/physical/workload.hpp"

#include <algorithm>
#include <cmath>

#include "forecast/physical/storage.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

// Reads of x that miss each cache. The matrix streams through the caches beside x, so x is granted half of each; where
// everything fits, a repeated product finds all of it there.
void count_misses(const Structure& s, const DeviceProperties& properties, Precision precision, int threads,
                  Workload& w) {
  const int per_line = 64 / value_bytes(precision);
  const auto reuse = std::ranges::find_if(s.x_reuse, [&](const XReuse& r) { return r.elements_per_line == per_line; });
  if (reuse == s.x_reuse.end()) return;
  for (const CacheLevel& cache : properties.caches) {
    if (cache.level < 1 || cache.level > 3 || cache.size_bytes <= 0) continue;
    const double capacity = number(cache.size_bytes);
    const double share = reuse->miss_share(capacity / 2 / 64);
    const double together = cache.level < 3 ? capacity * threads : capacity;  // every core has caches of its own
    const double too_large = 1 / (1 + std::pow(together / std::max(w.format_bytes, 1.0), 4));
    w.misses[cache.level - 1] = number(s.nonzeros) * share * too_large;
  }
}

double last_cache_bytes(const DeviceProperties& properties) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, number(cache.size_bytes));
  return last;
}

}  // namespace

Workload workload(const Structure& s, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads) {
  const formats::KernelInfo& info = formats::kernel_or_plain(kernel);
  Workload w;
  w.nonzeros = std::max(1.0, number(s.nonzeros));
  w.rows = std::max(1.0, number(s.rows));
  w.cols = std::max(1.0, number(s.cols));
  w.row_mean = w.nonzeros / w.rows;
  w.row_std = s.row_std;
  w.longest_row = std::max({1.0, w.row_mean * (1 + s.row_skew), number(s.row_max)});
  w.neighbours = std::clamp(s.neighbours, 0.0, 1.98);
  w.runs = w.nonzeros * (1 - w.neighbours / 2);
  w.span = std::clamp(s.bandwidth_scaled, 1e-6, 1.0);
  w.similarity = std::clamp(s.cross_row_similarity, 0.0, 1.0);
  w.footprint_bytes = 12 * w.nonzeros + 12 * w.rows + 8 * w.cols;
  w.slots = std::max(1.0, formats::slots_of(info.padding, s));
  w.exact = properties.kind == DeviceKind::host && !s.row_histogram.empty();
  if (!w.exact) return w;
  const int value = value_bytes(precision);
  w.format_bytes = number(storage_bytes(properties.kind, s, kernel, precision).value_or(0)) + value * (w.rows + w.cols);
  w.row_steps = w.rows;
  w.differing_rows = formats::differing_share(s) * number(s.rows);
  count_misses(s, properties, precision, threads, w);
  info.count(s, {threads, value, last_cache_bytes(properties)}, w);
  return w;
}

}  // namespace sparsecast::forecast

#include "models/workload.hpp"

#include <algorithm>
#include <cmath>

#include "models/storage.hpp"

namespace sparsecast {
namespace {

constexpr double lanes = 8;  // doubles of the widest vector registers

double number(std::int64_t value) { return static_cast<double>(value); }

// Entries that a kernel goes through. The formats skip padded slots but have to look at them.
double slots_of(const Structure& s, const std::string& kernel) {
  if (kernel == "ell") return number(s.rows) * number(s.row_max);
  if (kernel == "hyb" && !s.row_histogram.empty()) {
    const HybSplit split = hyb_split(s);
    return number(s.rows) * number(split.width) + number(split.overflow);
  }
  if (kernel == "sell")
    if (const SliceWork* slices = s.slice(32, 1024)) return number(slices->slots);
  return number(s.nonzeros);
}

double vectors_of(const Structure& s) {
  double vectors = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    vectors += number(entry.rows) * std::ceil(number(entry.length) / lanes);
  return vectors;
}

// A row's end is a branch whose target repeats with the length of the row: rows of one length are foreseen, rows of
// lengths p_1, p_2, … are missed with the chance that two rows in succession differ, 1 − Σ p².
double mispredictions_of(const Structure& s) {
  if (s.rows == 0) return 0;
  double same = 0;
  for (const RowLengthCount& entry : s.row_histogram) same += std::pow(number(entry.rows) / number(s.rows), 2);
  return number(s.rows) * (1 - same);
}

// Longest of `threads` equal blocks of rows over their mean, from the 64 counted blocks.
double static_imbalance(const Structure& s, int threads) {
  if (threads <= 1 || s.block_nonzeros.empty() || s.nonzeros == 0) return 1;
  const auto blocks = s.block_nonzeros.size();
  double longest = 0;
  for (int t = 0; t < threads; ++t) {
    double sum = 0;
    for (std::size_t b = blocks * static_cast<std::size_t>(t) / static_cast<std::size_t>(threads);
         b < blocks * static_cast<std::size_t>(t + 1) / static_cast<std::size_t>(threads); ++b)
      sum += number(s.block_nonzeros[b]);
    longest = std::max(longest, sum);
  }
  return std::max(1.0, longest * threads / number(s.nonzeros));
}

// Reads of x that miss each cache. The matrix streams through the caches beside x, so x is granted half of each; where
// everything fits, a repeated product finds all of it there.
void count_misses(const Structure& s, const DeviceProperties& properties, Precision precision, Workload& w) {
  const int per_line = 64 / value_bytes(precision);
  const auto reuse = std::ranges::find_if(s.x_reuse, [&](const XReuse& r) { return r.elements_per_line == per_line; });
  if (reuse == s.x_reuse.end()) return;
  for (const CacheLevel& cache : properties.caches) {
    if (cache.level < 1 || cache.level > 3 || cache.size_bytes <= 0) continue;
    const double capacity = number(cache.size_bytes);
    const double share = reuse->miss_share(capacity / 2 / 64);
    const double too_large = 1 / (1 + std::pow(capacity / std::max(w.format_bytes, 1.0), 4));
    w.misses[cache.level - 1] = number(s.nonzeros) * share * too_large;
  }
}

}  // namespace

Workload workload(const Structure& s, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads) {
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
  w.slots = std::max(1.0, slots_of(s, kernel));
  w.exact = properties.kind == DeviceKind::host && !s.row_histogram.empty();
  if (!w.exact) return w;
  const double value = value_bytes(precision);
  w.format_bytes = number(storage_bytes(properties.kind, s, kernel, precision)) + value * (w.rows + w.cols);
  w.vectors = std::max(1.0, vectors_of(s));
  w.mispredictions = mispredictions_of(s);
  const bool rows_dealt_by_number = kernel == "csr-scalar";
  w.imbalance = rows_dealt_by_number ? static_imbalance(s, threads) : 1;
  count_misses(s, properties, precision, w);
  return w;
}

}  // namespace sparsecast

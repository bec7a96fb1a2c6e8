#include "models/workload.hpp"

#include <algorithm>
#include <cmath>

#include "models/storage.hpp"

namespace sparsecast {
namespace {

double number(std::int64_t value) { return static_cast<double>(value); }

// Entries that a kernel goes through. The formats skip padded slots but have to look at them.
double slots_of(const Structure& s, const std::string& kernel) {
  if (kernel == "ell") return number(s.rows) * number(s.row_max);
  if (kernel == "hyb" && !s.row_histogram.empty()) {
    const HybSplit split = hyb_split(s);
    return number(s.rows) * number(split.width) + number(split.overflow);
  }
  if (kernel == "sell")
    if (const SliceWork* slices = s.slice(8, 1024)) return number(slices->slots);
  return number(s.nonzeros);
}

// The chance that two rows in succession differ in length if they came in any order, 1 − Σ p².
double differing_share(const Structure& s) {
  double same = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    same += std::pow(number(entry.rows) / std::max(1.0, number(s.rows)), 2);
  return std::max(0.0, 1 - same);
}

double rows_between(const Structure& s, std::int64_t shortest, std::int64_t longest) {
  double rows = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    if (entry.length >= shortest && entry.length <= longest) rows += number(entry.rows);
  return rows;
}

// In a plain loop each addition to a row's sum waits for the one before. The sums of short rows overlap, those of long
// ones do not.
double chained_entries(const Structure& s) {
  double chained = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    chained += std::max(0.0, number(entry.length) - Workload::chain_free) * number(entry.rows);
  return chained;
}

// Sorted rows in blocks of 1024: each block begins a loop per diagonal, as many as its longest row has entries.
double jad_calls(const Structure& s) {
  constexpr std::int64_t block = 1024;
  double calls = 0;
  std::int64_t before = 0;  // rows that are longer
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    // Blocks whose first row has this length.
    const std::int64_t first = (before + block - 1) / block, last = (before + entry->rows + block - 1) / block;
    calls += number(last - first) * number(entry->length);
    before += entry->rows;
  }
  return calls;
}

// Columns beyond 32 are added block by block of 1024 rows.
double ell_calls(double rows, double width) { return width > 32 ? std::ceil(rows / 1024) * width : 0; }

// What only some kernels do, after the loops of formats/*_host.cpp.
void count_steps(const Structure& s, const std::string& kernel, Workload& w) {
  // Where the order of the rows is not known, they are taken to be shuffled.
  w.differing_rows = differing_share(s) * number(s.rows);
  const double filled = number(s.rows - s.empty_rows);
  const double of_all = s.unforeseen_rows >= 0 ? s.unforeseen_rows : differing_share(s);
  const double of_filled = s.unforeseen_filled_rows >= 0 ? s.unforeseen_filled_rows : differing_share(s);
  if (kernel == "csr" || kernel == "csr-merge") {
    constexpr std::int64_t longest_short = 16, vector = 8;
    const double short_rows = rows_between(s, 0, longest_short);
    w.wide_rows = rows_between(s, vector + 1, longest_short);
    w.long_rows = number(s.rows) - short_rows;
    w.surprises = of_all * w.long_rows;
    const double share = w.wide_rows / std::max(1.0, short_rows);
    w.small_surprises = of_all * 4 * share * (1 - share) * short_rows;
  } else if (kernel == "coo") {
    w.surprises = of_filled * filled;
  } else if (kernel == "jad") {
    w.calls = jad_calls(s);
  } else if (kernel == "hyb") {
    const HybSplit split = hyb_split(s);
    w.overflow = number(split.overflow);
    w.slots = std::max(1.0, w.slots - w.overflow);
    w.padding = std::max(0.0, w.slots - (w.nonzeros - w.overflow));
    w.calls = ell_calls(w.rows, number(split.width));
    w.long_rows = number(s.rows_at_least(split.width + 1));
    w.surprises = split.width == 0 ? of_filled * filled : w.long_rows;
  } else {
    w.surprises = of_all * number(s.rows);
    w.padding = std::max(0.0, w.slots - w.nonzeros);
    if (kernel == "ell") w.calls = ell_calls(w.rows, number(s.row_max));
    if (kernel == "csr-scalar") w.chained = chained_entries(s);
  }
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
  count_steps(s, kernel, w);
  const bool rows_dealt_by_number = kernel == "csr-scalar";
  w.imbalance = rows_dealt_by_number ? static_imbalance(s, threads) : 1;
  count_misses(s, properties, precision, w);
  return w;
}

}  // namespace sparsecast

#include "forecast/physical/workload.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "forecast/physical/storage.hpp"

namespace sparsecast::forecast {
namespace {

constexpr std::int64_t most_streams = 32;  // columns that ELL walks through side by side (formats/ell_host.cpp)

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

// Of a Structure without them (a profile from before they were counted): as if rows of a kind lay side by side.
RowGroups row_groups(const Structure& s) {
  if (s.row_groups.groups > 0 || s.rows < RowGroups::rows) return s.row_groups;
  constexpr std::int64_t lanes = RowGroups::rows, longest_short = RowGroups::short_nonzeros / lanes;
  RowGroups groups;
  const std::int64_t cut = hyb_split(s).width;
  const auto in_groups = [](double rows) { return static_cast<std::int64_t>(rows / static_cast<double>(lanes)); };
  groups.groups = s.rows / lanes;
  groups.short_groups = in_groups(rows_between(s, 0, longest_short));
  groups.more_vectors = in_groups(rows_between(s, lanes + 1, longest_short));
  for (const RowLengthCount& entry : s.row_histogram) {
    groups.shortest += entry.length * entry.rows / lanes;
    groups.cut_shortest += std::min(entry.length, cut) * entry.rows / lanes;
    if (entry.length > lanes && entry.length <= longest_short)
      groups.more_rows += (entry.length + lanes - 1) / lanes * entry.rows - entry.rows;
    if (entry.length > longest_short) groups.rest_nonzeros += entry.rows * (entry.length % lanes);
  }
  groups.longest = groups.shortest;
  groups.cut_longest = groups.cut_shortest;
  return groups;
}

// Entropy of the row lengths in bits, of all rows or of those that are not empty.
double length_bits(const Structure& s, bool filled) {
  const double rows = number(filled ? s.rows - s.empty_rows : s.rows);
  double bits = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    if (filled && entry.length == 0) continue;
    const double share = number(entry.rows) / std::max(1.0, rows);
    bits -= share * std::log2(share);
  }
  return bits;
}

// In a plain loop each addition to a row's sum waits for the one before. A processor looks some hundred entries ahead:
// so many rows' sums overlap as fit there, and of a row as long as that every entry waits.
double chained_entries(const Structure& s) {
  constexpr double free = Workload::chain_free, ahead = 96;
  double chained = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const double length = number(entry.length);
    chained += std::max(0.0, std::min(length, ahead) - free) / (ahead - free) * length * number(entry.rows);
  }
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

// A vector of eight rows is taken in another way once padding has begun, and a branch decides. Row by row the place is
// a length to predict; column by column every group that differs from the one before is another answer.
double padding_mispredictions(const RowGroups& groups, std::int64_t width, std::int64_t turns) {
  return groups.mispredicted * number(width > most_streams ? turns : groups.groups);
}

// Columns beyond 32 are added block by block of 1024 rows.
double ell_calls(double rows, double width, int threads) {
  const double parts = std::max(1, threads);
  return width > number(most_streams) ? parts * std::ceil(rows / parts / 1024) * width : 0;
}

// Columns up to 32 are streams that are read side by side. Where a column's bytes are a multiple of half a page, say,
// the streams alias at 4K, and caches tell lines apart by their places in a page first.
void count_streams(double width, int bytes_of_value, Workload& w) {
  constexpr std::int64_t page = 4096, line = 64;
  const std::int64_t stride = static_cast<std::int64_t>(w.rows) * bytes_of_value;
  w.unaligned = w.rows * width * (1 - number(std::gcd(stride, line)) / number(line));
  if (width < 2 || width > number(most_streams)) return;
  const double places = std::min(width, number(page / std::max(line, std::gcd(stride, page))));
  w.stream_bytes = w.rows * width * (4 + bytes_of_value);
  w.aliased = w.rows * width * (1 - places / width);
}

// What a branch predictor has to hold of a product to know all of it: the branches, and those that it cannot predict in
// several tables at once. Where vectors leave few branches, the information in the row lengths tells better.
double remembered(const std::string& kernel, const Workload& w) {
  constexpr double tables = 8;
  const double mispredictions = tables * (w.mispredictions + w.small_mispredictions);
  if (kernel == "csr-scalar" || kernel == "coo") return w.nonzeros + mispredictions;  // an entry, a branch
  if (kernel == "hyb") return w.overflow + w.slots / 8 + mispredictions;              // eight slots, a branch
  return w.misprediction_bits;
}

// What only some kernels do, after the loops of formats/*_host.cpp.
void count_steps(const Structure& s, const std::string& kernel, Precision precision, int threads, Workload& w) {
  // Where the order of the rows is not known, they are taken to be shuffled.
  w.differing_rows = differing_share(s) * number(s.rows);
  const double filled = number(s.rows - s.empty_rows);
  w.row_steps = w.rows;
  const double of_all = s.mispredicted_rows >= 0 ? s.mispredicted_rows : differing_share(s);
  const double of_filled = s.mispredicted_filled_rows >= 0 ? s.mispredicted_filled_rows : differing_share(s);
  if (kernel == "csr" || kernel == "csr-merge") {
    const RowGroups groups = row_groups(s);
    const double short_rows = number(groups.short_groups) * RowGroups::rows;
    w.more_vectors = number(groups.more_vectors);
    w.long_rows = number(s.rows) - short_rows;
    w.rest = number(groups.rest_nonzeros);
    w.mispredictions = of_all * w.long_rows;
    // A branch for every row of a group that has a further vector.
    const double rows = number(groups.more_rows), branches = w.more_vectors * RowGroups::rows;
    w.small_mispredictions = of_all * (std::min(rows, branches - rows) + std::min(w.more_vectors, rows));
  } else if (kernel == "coo") {
    w.row_steps = filled;
    w.mispredictions = of_filled * filled;
  } else if (kernel == "jad") {
    w.calls = jad_calls(s);
  } else if (kernel == "hyb") {
    const HybSplit split = hyb_split(s);
    w.overflow = number(split.overflow);
    w.slots = std::max(1.0, w.slots - w.overflow);
    w.padding = std::max(0.0, w.slots - (w.nonzeros - w.overflow));
    w.calls = ell_calls(w.rows, number(split.width), threads);
    count_streams(number(split.width), value_bytes(precision), w);
    w.long_rows = number(s.rows_at_least(split.width + 1));
    if (split.width == 0) w.row_steps = 0;  // all is overflow
    w.mispredictions = split.width == 0 ? of_filled * filled : w.long_rows;
    const RowGroups groups = row_groups(s);
    w.partial = number(groups.cut_longest - groups.cut_shortest);
    w.empty = number(split.width * groups.groups - groups.cut_longest);
    w.small_mispredictions = padding_mispredictions(groups, split.width, groups.cut_turns);
  } else {
    w.mispredictions = of_all * number(s.rows);
    w.padding = std::max(0.0, w.slots - w.nonzeros);
    if (kernel == "ell") {
      w.calls = ell_calls(w.rows, number(s.row_max), threads);
      count_streams(number(s.row_max), value_bytes(precision), w);
      const RowGroups groups = row_groups(s);
      w.partial = number(groups.longest - groups.shortest);
      w.empty = number(s.row_max * groups.groups - groups.longest);
      w.mispredictions = padding_mispredictions(groups, s.row_max, groups.turns);
    }
    if (kernel == "csr-scalar") w.chained = chained_entries(s);
  }
  w.misprediction_bits = (w.mispredictions + w.small_mispredictions) * length_bits(s, kernel == "coo");
  w.remembered = remembered(kernel, w);
}

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

// csr-scalar asks for nothing ahead. The processor does, until misses of x stand between those of the stream: already
// with some per cent of them an entry from memory takes twice as long, with many no longer than that.
void count_unprefetched(const DeviceProperties& properties, Workload& w) {
  constexpr double enough_misses = 0.05;
  const double misses = w.misses[0] / w.nonzeros;
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, number(cache.size_bytes));
  const double beyond = 1 / (1 + std::pow(last / 2 / std::max(w.format_bytes, 1.0), 4));  // half, as for x
  w.unprefetched = w.nonzeros * beyond * misses / (misses + enough_misses);
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
  count_steps(s, kernel, precision, threads, w);
  w.thread_parts = thread_parts(s, kernel, threads);
  w.shared_lines = shared_lines(s, kernel, threads);
  count_misses(s, properties, precision, threads, w);
  if (kernel == "csr-scalar") count_unprefetched(properties, w);
  return w;
}

}  // namespace sparsecast::forecast

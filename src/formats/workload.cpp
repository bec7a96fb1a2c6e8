#include "formats/workload.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::formats {
namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

double rows_between(const Structure& s, std::int64_t shortest, std::int64_t longest) {
  double rows = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    if (entry.length >= shortest && entry.length <= longest) rows += number(entry.rows);
  return rows;
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
}  // namespace

double slots_of(Padding padding, const Structure& s, SellShape slices) {
  if (padding == Padding::longest_row) return number(s.rows) * number(s.row_max);
  if (padding == Padding::hyb_split && !s.row_histogram.empty()) {
    const HybSplit split = hyb_split(s);
    return number(s.rows) * number(split.width) + number(split.overflow);
  }
  if (padding == Padding::triangle) return (number(s.nonzeros) + number(s.rows)) / 2;
  if (padding == Padding::slices)
    if (const SliceWork* work = s.slice(slices.slice_rows, slices.sort_rows)) return number(work->slots);
  return number(s.nonzeros);
}

double differing_share(const Structure& s) {
  double same = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    same += std::pow(number(entry.rows) / std::max(1.0, number(s.rows)), 2);
  return std::max(0.0, 1 - same);
}

double mispredicted_share(const Structure& s) {
  return s.mispredicted_rows >= 0 ? s.mispredicted_rows : differing_share(s);
}

double mispredicted_filled_share(const Structure& s) {
  return s.mispredicted_filled_rows >= 0 ? s.mispredicted_filled_rows : differing_share(s);
}

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

void count_remembered(const Structure& s, bool filled_rows, Workload& w) {
  w.misprediction_bits = (w.mispredictions + w.small_mispredictions) * length_bits(s, filled_rows);
  w.remembered = w.misprediction_bits;
}

void count_branches(double branches, Workload& w) {
  constexpr double tables = 8;
  w.remembered = branches + tables * (w.mispredictions + w.small_mispredictions);
}

void count_row_ends(const Structure& s, Workload& w) {
  w.mispredictions = mispredicted_share(s) * number(s.rows);
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  count_remembered(s, false, w);
}

void count_rows(const Structure& s, const WorkContext& context, Workload& w) {
  count_row_ends(s, w);
  w.thread_parts = parts_in_order(s, by_nonzeros, context.threads);
}
}  // namespace sparsecast::formats

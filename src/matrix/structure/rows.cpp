// Row lengths: histogram, moments, mode, Gini, slices and blocks. Works on windows of 1024 rows, which hold
// whole slices of every counted shape; integers only until the end, so that any number of threads gives the same bits.

#include <algorithm>
#include <cmath>

#include "base/parallel_for.hpp"
#include "matrix/structure/row_groups.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {
constexpr std::int64_t window_rows = 1024;     // the widest sorting window of counted_slice_shapes()
constexpr std::int64_t tallied_length = 2048;  // lengths below this are counted in an array, the rest one by one

// Rows by length: an array for the common short lengths, a list for the few beyond.
class LengthTally {
 public:
  LengthTally() : short_rows_(tallied_length, 0) {}
  void add(std::int64_t length, std::int64_t rows) {
    if (length < tallied_length)
      short_rows_[static_cast<std::size_t>(length)] += rows;
    else
      long_lengths_.insert(long_lengths_.end(), static_cast<std::size_t>(rows), length);
  }
  void merge(const LengthTally& other) {
    for (std::size_t l = 0; l < short_rows_.size(); ++l) short_rows_[l] += other.short_rows_[l];
    long_lengths_.insert(long_lengths_.end(), other.long_lengths_.begin(), other.long_lengths_.end());
  }
  std::vector<RowLengthCount> histogram() {
    std::vector<RowLengthCount> list;
    for (std::size_t l = 0; l < short_rows_.size(); ++l)
      if (short_rows_[l] > 0) list.push_back({static_cast<std::int64_t>(l), short_rows_[l]});
    std::ranges::sort(long_lengths_);
    for (const std::int64_t length : long_lengths_) {
      if (list.empty() || list.back().length != length) list.push_back({length, 0});
      ++list.back().rows;
    }
    return list;
  }

 private:
  std::vector<std::int64_t> short_rows_, long_lengths_;
};

using LongestRows = std::array<std::int64_t, window_rows / 8>;

// Slots of the slices within one window, for all shapes at once, and the rows by length. The unsorted ones come from
// maxima over groups of 8. The sorted ones need no sorting: walking down the window's tally of lengths gives the
// longest row of every slice.
template <class Offset>
class WindowSlices {
 public:
  explicit WindowSlices(std::size_t shapes) : slots(shapes, 0), tally_(banks * tallied_length, 0) {}

  void add(const Offset* lengths, std::size_t rows) {
    const auto& shapes = counted_slice_shapes();
    const std::size_t groups = (rows + 7) / 8;
    LongestRows longest{}, sorted_longest{};
    Offset least = lengths[0], most = lengths[0];
    for (std::size_t g = 0; g < groups; ++g) {
      Offset group = 0, shortest = lengths[8 * g];
      for (std::size_t r = 8 * g; r < std::min(rows, 8 * g + 8); ++r) {
        group = std::max(group, lengths[r]);
        shortest = std::min(shortest, lengths[r]);
      }
      longest[g] = group;
      most = std::max(most, group);
      least = std::min(least, shortest);
    }
    if (least == most) {
      sorted_longest = longest;
      all.add(least, static_cast<std::int64_t>(rows));
    } else {
      longest_of_sorted(lengths, rows, {least, std::min<std::int64_t>(most, tallied_length - 1)}, sorted_longest);
    }
    for (std::size_t s = 0; s < shapes.size(); ++s) {
      const bool sorted = shapes[s].sort_rows > 1;
      const auto per_slice = static_cast<std::size_t>(shapes[s].slice_rows / 8);
      std::int64_t sum = 0;
      for (std::size_t g = 0; g < groups; g += per_slice) {
        if (sorted) {
          sum += sorted_longest[g];
        } else {
          sum += *std::max_element(longest.begin() + g, longest.begin() + std::min(groups, g + per_slice));
        }
      }
      slots[s] += sum * shapes[s].slice_rows;
    }
  }

  LengthTally all;
  std::vector<std::int64_t> slots;

 private:
  struct Range {
    std::int64_t least, most;
  };

  // longest[g]: length of rank 8·g when the rows are sorted by falling length.
  void longest_of_sorted(const Offset* lengths, std::size_t rows, Range range, LongestRows& longest) {
    long_.clear();
    for (std::size_t r = 0; r < rows; ++r) {
      // Neighbours are often alike, and an increment waits for the one before of the same counter.
      if (lengths[r] < tallied_length)
        ++tally_[banks * static_cast<std::size_t>(lengths[r]) + r % banks];
      else
        long_.push_back(lengths[r]);
    }
    std::ranges::sort(long_, std::greater<>());
    std::size_t rank = 0, group = 0;
    for (; rank < long_.size(); ++rank) {
      if (rank == 8 * group) longest[group++] = long_[rank];
      all.add(long_[rank], 1);
    }
    for (std::int64_t length = range.most; length >= range.least && length >= 0; --length) {
      std::uint32_t* counts = &tally_[banks * static_cast<std::size_t>(length)];
      const std::uint32_t count = counts[0] + counts[1] + counts[2] + counts[3];
      if (count == 0) continue;
      rank += count;
      for (; 8 * group < rank; ++group) longest[group] = length;
      all.add(length, count);
      std::fill_n(counts, banks, 0U);
    }
  }

  static constexpr std::size_t banks = 4;
  std::vector<std::uint32_t> tally_;
  std::vector<std::int64_t> long_;
};

}  // namespace

void row_moments(Structure& s) {
  const double rows = static_cast<double>(s.rows), nonzeros = static_cast<double>(s.nonzeros);
  if (s.rows == 0) return;
  s.row_mean = nonzeros / rows;
  s.row_min = s.row_histogram.front().length;
  s.row_max = s.row_histogram.back().length;
  double variance = 0, weighted_rank = 0, before = 0;
  std::int64_t commonest = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const double length = static_cast<double>(entry.length), count = static_cast<double>(entry.rows);
    variance += count * (length - s.row_mean) * (length - s.row_mean);
    // Sum over the rows, in ascending order of length, of rank × length (ranks from 1).
    weighted_rank += length * count * (before + (count + 1) / 2);
    before += count;
    if (entry.rows > commonest) {
      commonest = entry.rows;
      s.row_mode = entry.length;
    }
  }
  s.row_std = std::sqrt(variance / rows);
  s.empty_rows = s.row_min == 0 ? s.row_histogram.front().rows : 0;
  if (s.nonzeros > 0) {
    s.row_skew = (static_cast<double>(s.row_max) - s.row_mean) / s.row_mean;
    s.row_gini = std::max(0.0, 2 * weighted_rank / (rows * nonzeros) - (rows + 1) / rows);
  }
}
template <class Offset>
void analyze_rows(std::span<const Offset> row_pointers, Structure& structure, int threads) {
  const std::int64_t rows = structure.rows, windows = (rows + window_rows - 1) / window_rows;
  const auto& shapes = counted_slice_shapes();
  struct Part {
    LengthTally tally;
    std::vector<std::int64_t> slots;
    RowGroups groups;
  };
  const std::int64_t count = std::clamp<std::int64_t>(windows, 1, threads);
  std::vector<Part> parts(static_cast<std::size_t>(count));
  GroupExtremes<Offset> extremes(rows / RowGroups::rows);
  base::parallel_for(count, {threads}, [&](std::int64_t p) {
    WindowSlices<Offset> slices(shapes.size());
    RowGroups groups;
    std::array<Offset, window_rows> lengths;
    for (std::int64_t w = windows * p / count; w < windows * (p + 1) / count; ++w) {
      const std::int64_t first = w * window_rows, here = std::min(rows - first, window_rows);
      const Offset* pointers = row_pointers.data() + first;
      for (std::int64_t r = 0; r < here; ++r) lengths[static_cast<std::size_t>(r)] = pointers[r + 1] - pointers[r];
      slices.add(lengths.data(), static_cast<std::size_t>(here));
      extremes.add(lengths.data(), first / RowGroups::rows, here / RowGroups::rows, groups);
    }
    parts[static_cast<std::size_t>(p)] = {std::move(slices.all), std::move(slices.slots), groups};
  });
  LengthTally tally;
  std::vector<std::int64_t> slots(shapes.size(), 0);
  RowGroups groups;
  for (const Part& part : parts) {
    tally.merge(part.tally);
    for (std::size_t s = 0; s < slots.size(); ++s) slots[s] += part.slots[s];
    add_counted(groups, part.groups);
  }
  structure.row_histogram = tally.histogram();
  row_moments(structure);
  structure.row_groups = groups;
  extremes.count_turns(hyb_split(structure).width, structure.row_groups);
  structure.slices = shapes;
  for (std::size_t s = 0; s < shapes.size(); ++s) structure.slices[s].slots = slots[s];
  constexpr std::int64_t blocks = 64;
  for (std::int64_t b = 0; b < blocks; ++b)
    structure.block_nonzeros.push_back(row_pointers[(b + 1) * rows / blocks] - row_pointers[b * rows / blocks]);
}

template void analyze_rows(std::span<const std::int32_t>, Structure&, int);
template void analyze_rows(std::span<const std::int64_t>, Structure&, int);
}  // namespace sparsecast::matrix

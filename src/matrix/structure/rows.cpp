// Row lengths: histogram, moments, mode, Gini, slices and blocks. Works on windows of 1024 rows, which hold whole
// slices of every counted shape; integers only until the end, so that any number of threads gives the same bits.

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <vector>

#include "base/parallel_for.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {

constexpr std::int64_t window_rows = 1024;     // the widest sorting window of counted_slice_shapes()
constexpr std::int64_t tallied_length = 2048;  // lengths below this are counted in an array, the rest one by one

// Rows by length: an array for the common short lengths, a list for the few beyond.
class LengthTally {
 public:
  LengthTally() : short_rows_(tallied_length, 0) {}
  void add(std::int64_t length) {
    if (length < tallied_length)
      ++short_rows_[static_cast<std::size_t>(length)];
    else
      long_lengths_.push_back(length);
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

// Slots of the slices within one window, for all shapes at once. The unsorted ones come from maxima over groups of 8.
// The sorted ones need no sorting: walking down the window's tally of lengths gives the longest row of every slice.
class WindowSlices {
 public:
  explicit WindowSlices(std::size_t shapes) : slots(shapes, 0), tally_(tallied_length, 0) {}

  void add(const std::vector<std::int64_t>& lengths) {
    const auto& shapes = counted_slice_shapes();
    const std::size_t rows = lengths.size(), groups = (rows + 7) / 8;
    std::array<std::int64_t, window_rows / 8> longest{}, sorted_longest{};
    std::int64_t least = lengths[0], most = lengths[0];
    for (std::size_t g = 0; g < groups; ++g) {
      std::int64_t group = 0;
      for (std::size_t r = 8 * g; r < std::min(rows, 8 * g + 8); ++r) {
        group = std::max(group, lengths[r]);
        least = std::min(least, lengths[r]);
      }
      longest[g] = group;
      most = std::max(most, group);
    }
    if (least == most) {
      sorted_longest = longest;
    } else {
      longest_of_sorted(lengths, least, std::min(most, tallied_length - 1), sorted_longest);
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

  std::vector<std::int64_t> slots;

 private:
  // longest[g]: length of rank 8·g when the rows are sorted by falling length.
  void longest_of_sorted(const std::vector<std::int64_t>& lengths, std::int64_t least, std::int64_t most,
                         std::array<std::int64_t, window_rows / 8>& longest) {
    long_.clear();
    for (const std::int64_t length : lengths) {
      if (length < tallied_length)
        ++tally_[static_cast<std::size_t>(length)];
      else
        long_.push_back(length);
    }
    std::ranges::sort(long_, std::greater<>());
    std::size_t rank = 0, group = 0;
    for (; rank < long_.size(); ++rank)
      if (rank == 8 * group) longest[group++] = long_[rank];
    for (std::int64_t length = most; length >= least && length >= 0; --length) {
      std::int64_t& count = tally_[static_cast<std::size_t>(length)];
      rank += static_cast<std::size_t>(count);
      for (; 8 * group < rank; ++group) longest[group] = length;
      count = 0;
    }
  }

  std::vector<std::int64_t> tally_, long_;
};

void moments(Structure& s) {
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

}  // namespace

template <class Offset>
void analyze_rows(std::span<const Offset> row_pointers, Structure& structure, int threads) {
  const std::int64_t rows = structure.rows, windows = (rows + window_rows - 1) / window_rows;
  const auto& shapes = counted_slice_shapes();
  struct Part {
    LengthTally tally;
    std::vector<std::int64_t> slots;
  };
  const std::int64_t count = std::clamp<std::int64_t>(windows, 1, threads);
  std::vector<Part> parts(static_cast<std::size_t>(count));
  base::parallel_for(count, {threads}, [&](std::int64_t p) {
    LengthTally own;
    WindowSlices slices(shapes.size());
    std::vector<std::int64_t> lengths;
    for (std::int64_t w = windows * p / count; w < windows * (p + 1) / count; ++w) {
      const std::int64_t first = w * window_rows, last = std::min(rows, first + window_rows);
      lengths.resize(static_cast<std::size_t>(last - first));
      for (std::int64_t r = first; r < last; ++r) {
        lengths[static_cast<std::size_t>(r - first)] = row_pointers[r + 1] - row_pointers[r];
        own.add(row_pointers[r + 1] - row_pointers[r]);
      }
      slices.add(lengths);
    }
    parts[static_cast<std::size_t>(p)] = {std::move(own), std::move(slices.slots)};
  });
  LengthTally tally;
  std::vector<std::int64_t> slots(shapes.size(), 0);
  for (const Part& part : parts) {
    tally.merge(part.tally);
    for (std::size_t s = 0; s < slots.size(); ++s) slots[s] += part.slots[s];
  }
  structure.row_histogram = tally.histogram();
  moments(structure);
  structure.slices = shapes;
  for (std::size_t s = 0; s < shapes.size(); ++s) structure.slices[s].slots = slots[s];
  constexpr std::int64_t blocks = 64;
  for (std::int64_t b = 0; b < blocks; ++b)
    structure.block_nonzeros.push_back(row_pointers[(b + 1) * rows / blocks] - row_pointers[b * rows / blocks]);
}

template void analyze_rows(std::span<const std::int32_t>, Structure&, int);
template void analyze_rows(std::span<const std::int64_t>, Structure&, int);

}  // namespace sparsecast::matrix

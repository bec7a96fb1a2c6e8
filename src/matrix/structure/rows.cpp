// Row lengths: histogram, moments, mode, Gini, slices, groups and blocks. Works on windows of 1024 rows, which hold
// whole slices of every counted shape; integers only until the end, so that any number of threads gives the same bits.

#include <cmath>
#include <cstdlib>

#include "base/parallel_for.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {
// Groups of eight rows, counted in the pass over the row lengths. What depends on where hyb cuts the rows has to wait
// for all lengths: it comes from the shortest and the longest row of each group, which are kept.

/// Shortest and longest row of every group.
template <class Offset>
class GroupExtremes {
 public:
  explicit GroupExtremes(std::int64_t groups)
      : shortest_(static_cast<std::size_t>(groups)), longest_(static_cast<std::size_t>(groups)) {}

  /// Groups first … first + count − 1, of these row lengths; adds what needs no other group to `sums`.
  void add(const Offset* lengths, std::int64_t first, std::int64_t count, RowGroups& sums);
  /// The rest of the sums, with rows cut at the width of hyb_split(): what needs all groups in order.
  void count_turns(std::int64_t cut, RowGroups& sums) const;

 private:
  std::vector<Offset> shortest_, longest_;
};

constexpr std::int64_t group_stretches = 8, stretch_groups = 1 << 8;  // that foresight is judged on

// Vectors of eight beyond the first that a row of that length takes.
template <class Offset>
Offset vectors_beyond_first(Offset length) {
  static_assert(RowGroups::rows == 8);
  return (std::max<Offset>(length, 1) - 1) >> 3;
}

// Whether all rows of the group from `row` on are as long and read x one entry further on than the row before: the
// first, the middle and the last entry of each are looked at.
template <class Offset, class Index>
bool in_runs(const CsrPattern<Offset, Index>& csr, std::int64_t row) {
  const Offset* p = csr.row_pointers.data() + row;
  const std::int64_t length = p[1] - p[0];
  if (length == 0) return false;
  for (int r = 1; r < RowGroups::rows; ++r) {
    if (p[r + 1] - p[r] != length) return false;
    for (const std::int64_t k : {std::int64_t{0}, length / 2, length - 1})
      if (csr.column_indices[p[r] + k] != csr.column_indices[p[r - 1] + k] + 1) return false;
  }
  return true;
}

// The groups that stand for all: f(stretch, group) of all, or of some stretches.
template <class F>
void for_sampled_groups(std::int64_t groups, const F& f) {
  const bool whole = groups <= group_stretches * stretch_groups;
  const std::int64_t count = whole ? groups : stretch_groups, stretches = whole ? 1 : group_stretches;
  for (std::int64_t s = 0; s < stretches; ++s) {
    const std::int64_t first = whole ? 0 : (groups - count) * s / (stretches - 1);
    for (std::int64_t g = first; g < first + count; ++g) f(s, g);
  }
}

template <class Offset>
void GroupExtremes<Offset>::add(const Offset* lengths, std::int64_t first, std::int64_t count, RowGroups& sums) {
  for (std::int64_t g = 0; g < count; ++g, lengths += RowGroups::rows) {
    Offset shortest = lengths[0], longest = lengths[0], nonzeros = 0, rest = 0, more = 0;
    for (int r = 0; r < RowGroups::rows; ++r) {
      const Offset length = lengths[r];
      shortest = std::min(shortest, length);
      longest = std::max(longest, length);
      nonzeros += length;
      rest += length & (RowGroups::rows - 1);
      more += vectors_beyond_first(length);
    }
    shortest_[static_cast<std::size_t>(first + g)] = shortest;
    longest_[static_cast<std::size_t>(first + g)] = longest;
    sums.shortest += shortest;
    sums.longest += longest;
    if (nonzeros <= RowGroups::short_nonzeros) {
      ++sums.short_groups;
      sums.more_vectors += vectors_beyond_first(longest);
      sums.more_rows += more;
    } else {
      sums.rest_nonzeros += rest;
    }
  }
  sums.groups += count;
}

template <class Offset>
void GroupExtremes<Offset>::count_turns(std::int64_t cut, RowGroups& sums) const {
  const auto width = static_cast<Offset>(cut);
  for (std::size_t g = 0; g < shortest_.size(); ++g) {
    const Offset now = shortest_[g], before = shortest_[g > 0 ? g - 1 : 0];
    const Offset cut_now = std::min(now, width), cut_before = std::min(before, width);
    sums.turns += std::abs(now - before);
    sums.cut_shortest += cut_now;
    sums.cut_longest += std::min(longest_[g], width);
    sums.cut_turns += std::abs(cut_now - cut_before);
  }
}

// Adds the sums of GroupExtremes::add().
void add_counted(RowGroups& sums, const RowGroups& part) {
  sums.groups += part.groups;
  sums.shortest += part.shortest;
  sums.longest += part.longest;
  sums.short_groups += part.short_groups;
  sums.more_vectors += part.more_vectors;
  sums.more_rows += part.more_rows;
  sums.rest_nonzeros += part.rest_nonzeros;
}

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

template <class Offset, class Index>
void analyze_runs(const CsrPattern<Offset, Index>& csr, Structure& structure) {
  std::int64_t nonzeros = 0, of_runs = 0;
  for_sampled_groups(structure.row_groups.groups, [&](std::int64_t, std::int64_t g) {
    const std::int64_t row = g * RowGroups::rows;
    const std::int64_t of_group = csr.row_pointers[row + RowGroups::rows] - csr.row_pointers[row];
    nonzeros += of_group;
    if (in_runs(csr, row)) of_runs += of_group;
  });
  structure.row_groups.in_runs = nonzeros > 0 ? static_cast<double>(of_runs) / static_cast<double>(nonzeros) : 0;
}

template <class Offset>
void analyze_group_foresight(std::span<const Offset> row_pointers, Structure& structure) {
  std::vector<std::vector<std::int32_t>> parts;
  for_sampled_groups(structure.row_groups.groups, [&](std::int64_t stretch, std::int64_t g) {
    if (std::ssize(parts) == stretch) parts.emplace_back();
    const Offset* pointers = row_pointers.data() + g * RowGroups::rows;
    Offset shortest = pointers[1] - pointers[0];
    for (int r = 1; r < RowGroups::rows; ++r) shortest = std::min(shortest, pointers[r + 1] - pointers[r]);
    parts.back().push_back(
        static_cast<std::int32_t>(std::min<std::int64_t>(shortest, std::numeric_limits<std::int32_t>::max())));
  });
  structure.row_groups.mispredicted = misprediction_share(parts);
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
  moments(structure);
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
template void analyze_group_foresight(std::span<const std::int32_t>, Structure&);
template void analyze_group_foresight(std::span<const std::int64_t>, Structure&);
template void analyze_runs(const CsrPattern<std::int32_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int64_t>&, Structure&);
}  // namespace sparsecast::matrix

#include "matrix/structure/row_groups.hpp"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {
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
}  // namespace

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

void add_counted(RowGroups& sums, const RowGroups& part) {
  sums.groups += part.groups;
  sums.shortest += part.shortest;
  sums.longest += part.longest;
  sums.short_groups += part.short_groups;
  sums.more_vectors += part.more_vectors;
  sums.more_rows += part.more_rows;
  sums.rest_nonzeros += part.rest_nonzeros;
}

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

template class GroupExtremes<std::int32_t>;
template class GroupExtremes<std::int64_t>;
template void analyze_group_foresight(std::span<const std::int32_t>, Structure&);
template void analyze_group_foresight(std::span<const std::int64_t>, Structure&);
template void analyze_runs(const CsrPattern<std::int32_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int64_t>&, Structure&);
}  // namespace sparsecast::matrix

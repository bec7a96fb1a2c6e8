// Groups of eight rows: what the vector kernels do beside the non-zeros depends on the rows that lie side by side, and
// no histogram tells which those are.

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {

constexpr std::int64_t group_stretches = 8, stretch_groups = 1 << 8;  // that foresight is judged on

struct Group {
  std::int64_t shortest = 0, longest = 0, nonzeros = 0, rest = 0, more = 0;
};

// Vectors of eight beyond the first.
std::int64_t more_vectors(std::int64_t length) {
  return std::max<std::int64_t>(0, (length + RowGroups::rows - 1) / RowGroups::rows - 1);
}

template <class Offset>
Group group_at(const Offset* pointers) {
  Group group{std::numeric_limits<std::int64_t>::max(), 0, pointers[RowGroups::rows] - pointers[0], 0, 0};
  for (int r = 0; r < RowGroups::rows; ++r) {
    const std::int64_t length = pointers[r + 1] - pointers[r];
    group.shortest = std::min(group.shortest, length);
    group.longest = std::max(group.longest, length);
    group.rest += length % RowGroups::rows;
    group.more += more_vectors(length);
  }
  return group;
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
void analyze_groups(std::span<const Offset> row_pointers, Structure& structure, int threads) {
  RowGroups& all = structure.row_groups;
  const std::int64_t groups = structure.rows / RowGroups::rows, cut = hyb_split(structure).width;
  if (groups == 0) return;
  const auto* pointers = row_pointers.data();
  const auto shortest_of = [&](std::int64_t g) { return group_at(pointers + g * RowGroups::rows).shortest; };
  std::int64_t shortest = 0, longest = 0, turns = 0, cut_shortest = 0, cut_longest = 0, cut_turns = 0;
  std::int64_t short_groups = 0, vectors = 0, rows = 0, rest = 0;
#pragma omp parallel num_threads(threads) reduction(+ : shortest, longest, turns, cut_shortest, cut_longest, cut_turns) \
    reduction(+ : short_groups, vectors, rows, rest)
  {
    std::int64_t next = -1, before = 0;  // the group that `before` is the shortest row of the one before
#pragma omp for schedule(static)
    for (std::int64_t g = 0; g < groups; ++g) {
      const Group group = group_at(pointers + g * RowGroups::rows);
      if (g != next) before = g > 0 ? shortest_of(g - 1) : group.shortest;
      const std::int64_t cut_now = std::min(group.shortest, cut), cut_before = std::min(before, cut);
      shortest += group.shortest;
      longest += group.longest;
      turns += std::abs(group.shortest - before);
      cut_shortest += cut_now;
      cut_longest += std::min(group.longest, cut);
      cut_turns += std::abs(cut_now - cut_before);
      if (group.nonzeros <= RowGroups::short_nonzeros) {
        ++short_groups;
        vectors += more_vectors(group.longest);
        rows += group.more;
      } else {
        rest += group.rest;
      }
      before = group.shortest;
      next = g + 1;
    }
  }
  all = {groups, shortest, longest, turns, cut_shortest, cut_longest, cut_turns, short_groups, vectors,
         rows,   rest,     0,       0};

  std::vector<std::vector<std::int32_t>> parts;
  for_sampled_groups(groups, [&](std::int64_t stretch, std::int64_t g) {
    if (std::ssize(parts) == stretch) parts.emplace_back();
    parts.back().push_back(
        static_cast<std::int32_t>(std::min<std::int64_t>(shortest_of(g), std::numeric_limits<std::int32_t>::max())));
  });
  all.mispredicted = misprediction_share(parts);
}

template void analyze_groups(std::span<const std::int32_t>, Structure&, int);
template void analyze_groups(std::span<const std::int64_t>, Structure&, int);
template void analyze_runs(const CsrPattern<std::int32_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int32_t>&, Structure&);
template void analyze_runs(const CsrPattern<std::int64_t, std::int64_t>&, Structure&);

}  // namespace sparsecast::matrix

// Dense diagonals. A diagonal that half of the rows have an entry on is met in a few rows already, so met_often come
// from a few, a sample of the rows decides, and only what is dense there is counted in all of them.

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel_for.hpp"
#include "base/small_floats.hpp"
#include "base/team.hpp"
#include "matrix/structure/diagonals.hpp"

namespace sparsecast::matrix {
namespace {
// Of a diagonal with half of the rows, fewer than 4 of 32 rows know in one matrix out of ten thousand.
constexpr std::int64_t first_rows = 32, first_hits = 4;
constexpr std::int64_t diagonal_groups = 64, diagonal_group_rows = 32,
                       diagonal_sample = diagonal_groups * diagonal_group_rows;
// Where so many groups have four times as many entries beside the diagonals as on them, more groups say the same.
constexpr std::int64_t clear_groups = 8;
// A sampled count looks at so many rows in succession, one in so many of all: no period of a grid is in step with
// seven.
constexpr std::int64_t counted_rows = 16, one_in = 7;
// More diagonals than this are a dense matrix, and rows of more than this cost the sample too much.
constexpr std::int64_t most_diagonals = 256, longest_sampled = 1024;

// Places that no period of the rows can be in step with.
std::int64_t scattered(std::int64_t i, std::int64_t count) {
  const std::uint64_t mixed = static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U;
  return static_cast<std::int64_t>((mixed >> 16) % static_cast<std::uint64_t>(count));
}

template <class Offset, class Index>
bool too_long(const CsrPattern<Offset, Index>& csr, std::int64_t row) {
  return csr.row_pointers[row + 1] - csr.row_pointers[row] > longest_sampled;
}

template <class Offset, class Index>
std::vector<std::int64_t> met_often(const CsrPattern<Offset, Index>& csr) {
  std::vector<std::int64_t> met;
  for (std::int64_t i = 0; i < first_rows; ++i) {
    const std::int64_t row = scattered(i, csr.rows);
    if (too_long(csr, row)) continue;
    for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) met.push_back(csr.column_indices[k] - row);
  }
  std::ranges::sort(met);
  std::vector<std::int64_t> often;
  for (std::size_t i = 0; i < met.size();) {
    std::size_t end = i;
    while (end < met.size() && met[end] == met[i]) ++end;
    if (static_cast<std::int64_t>(end - i) >= first_hits) often.push_back(met[i]);
    i = end;
  }
  return often;
}

// Whether a row has an entry on every diagonal and no other, as most rows of a stencil do.
template <class Offset, class Index>
bool is_full(const CsrPattern<Offset, Index>& csr, std::int64_t row, const std::vector<Index>& diagonals) {
  const Offset begin = csr.row_pointers[row];
  const auto count = static_cast<std::int64_t>(diagonals.size());
  if (csr.row_pointers[row + 1] - begin != count) return false;
  const Index* columns = csr.column_indices.data() + begin;
  Index differs = 0;
  for (std::int64_t d = 0; d < count; ++d)
    differs |= columns[d] ^ (static_cast<Index>(row) + diagonals[static_cast<std::size_t>(d)]);
  return differs == 0;
}

// Which of some diagonals an entry lies on. Where they are near each other a table says so without a branch: whether an
// entry lies on one is unpredictable.
class DiagonalTable {
 public:
  explicit DiagonalTable(const std::vector<std::int64_t>& ascending) : diagonals_(ascending), low_(ascending.front()) {
    const std::int64_t span = ascending.back() - low_ + 1;
    if (span > widest) return;
    numbers_.assign(static_cast<std::size_t>(span) + 1, 0);
    for (std::size_t d = 0; d < ascending.size(); ++d)
      numbers_[static_cast<std::size_t>(ascending[d] - low_)] = static_cast<std::uint16_t>(d + 1);
  }

  // Calls entry(number) for the entries of a row: 0 for none of the diagonals, else from 1 on.
  template <class Offset, class Index, class Entry>
  void for_each(const CsrPattern<Offset, Index>& csr, std::int64_t row, const Entry& entry) const {
    const Offset begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
    if (!numbers_.empty()) {
      const auto none = static_cast<std::uint64_t>(numbers_.size() - 1);
      const std::int64_t first = row + low_;
      for (Offset k = begin; k < end; ++k)
        entry(numbers_[std::min(static_cast<std::uint64_t>(csr.column_indices[k] - first), none)]);
      return;
    }
    std::size_t d = 0;
    for (Offset k = begin; k < end; ++k) {
      const std::int64_t diagonal = csr.column_indices[k] - row;
      while (d < diagonals_.size() && diagonals_[d] < diagonal) ++d;
      entry(d < diagonals_.size() && diagonals_[d] == diagonal ? d + 1 : 0);
    }
  }

 private:
  static constexpr std::int64_t widest = 1 << 14;  // half of a first cache
  const std::vector<std::int64_t>& diagonals_;
  std::int64_t low_;
  std::vector<std::uint16_t> numbers_;
};

template <class Offset, class Index>
std::vector<std::int64_t> find_dense(const CsrPattern<Offset, Index>& csr) {
  if (csr.rows == 0) return {};
  const std::vector<std::int64_t> often = met_often(csr);
  if (often.empty()) return {};
  const DiagonalTable table(often);
  std::vector<std::int64_t> on(often.size() + 1, 0);  // entries by number, from 1 on; [0]: on none of them
  std::int64_t seen = 0, held = 0, rest = 0;
  const bool whole = csr.rows <= diagonal_sample;
  for (std::int64_t g = 0; g < (whole ? 1 : diagonal_groups); ++g) {
    if (g == clear_groups && 4 * std::accumulate(on.begin() + 1, on.end(), std::int64_t{0}) < on[0] + rest) return {};
    const std::int64_t first = whole ? 0 : scattered(g, csr.rows - diagonal_group_rows);
    for (std::int64_t row = first; row < (whole ? csr.rows : first + diagonal_group_rows); ++row) {
      ++seen;
      if (too_long(csr, row))
        rest += csr.row_pointers[row + 1] - csr.row_pointers[row];
      else
        table.for_each(csr, row, [&](std::size_t number) { ++on[number]; });
    }
  }
  rest += on[0];
  std::vector<std::int64_t> dense;
  for (std::size_t d = 0; d < often.size(); ++d) {
    if (2 * on[d + 1] >= seen) {
      dense.push_back(often[d]);
      held += on[d + 1];
    } else {
      rest += on[d + 1];
    }
  }
  if (held < rest || static_cast<std::int64_t>(dense.size()) > most_diagonals) return {};
  return dense;
}
}  // namespace

std::vector<std::int64_t> dense_diagonals(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) { return find_dense(csr); });
}

DenseDiagonals count_diagonals(const Matrix& matrix, const std::vector<std::int64_t>& diagonals, int threads,
                               bool sampled) {
  DenseDiagonals result{static_cast<std::int64_t>(diagonals.size()), 0, 0};
  matrix.visit_pattern([&](const auto& csr) {
    using Index = typename std::decay_t<decltype(csr)>::Index;
    const std::vector<Index> narrow(diagonals.begin(), diagonals.end());
    const DiagonalTable table(diagonals);
    std::int64_t rest = 0, rest_rows = 0;
    const auto beside = [&](std::int64_t row) {
      std::int64_t entries = 0;
      if (!is_full(csr, row, narrow)) table.for_each(csr, row, [&](std::size_t number) { entries += number == 0; });
      return entries;
    };
    if (sampled && csr.rows >= diagonal_sample * one_in) {
      std::int64_t looked = 0;
      for (std::int64_t first = 0; first < csr.rows; first += counted_rows * one_in)
        for (std::int64_t row = first; row < std::min(csr.rows, first + counted_rows); ++row, ++looked) {
          const std::int64_t entries = beside(row);
          rest += entries;
          rest_rows += entries > 0 ? 1 : 0;
        }
      const double scale = static_cast<double>(csr.rows) / static_cast<double>(looked);
      // Not more than there is room for, should a long row beside the sample hold the rest.
      result.nonzeros = std::clamp<std::int64_t>(matrix.nonzeros() - std::llround(scale * static_cast<double>(rest)), 0,
                                                 result.diagonals * csr.rows);
      result.rest_rows = std::llround(scale * static_cast<double>(rest_rows));
      return;
    }
#pragma omp parallel for num_threads(base::team_of(threads)) reduction(+ : rest, rest_rows) schedule(static) if (threads > 1)
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const std::int64_t entries = beside(row);
      rest += entries;
      rest_rows += entries > 0 ? 1 : 0;
    }
    result.nonzeros = matrix.nonzeros() - rest;
    result.rest_rows = rest_rows;
  });
  return result;
}

void analyze_diagonals(const Matrix& matrix, Structure& structure, int threads, bool presume) {
  const std::vector<std::int64_t> diagonals = dense_diagonals(matrix);
  structure.dense_diagonals = diagonals.empty() ? DenseDiagonals{0, 0, structure.rows - structure.empty_rows}
                                                : count_diagonals(matrix, diagonals, threads, presume);
}
}  // namespace sparsecast::matrix

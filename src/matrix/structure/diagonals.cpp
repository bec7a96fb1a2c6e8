// Dense diagonals. A diagonal that half of the rows have an entry on is met in a few rows already, so met_often come
// from a few, a sample of the rows decides, and only what is dense there is counted in all of them.

#include <algorithm>

#include "base/parallel_for.hpp"
#include "matrix/structure/forms.hpp"

namespace sparsecast::matrix {
namespace {

// Of a diagonal with half of the rows, fewer than 4 of 32 rows know in one matrix out of ten thousand.
constexpr std::int64_t first_rows = 32, first_hits = 4;
constexpr std::int64_t diagonal_groups = 64, diagonal_group_rows = 32,
                       diagonal_sample = diagonal_groups * diagonal_group_rows;
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

// Adds the entries of a row on each of the diagonals to `on`; returns how many lie on none.
template <class Offset, class Index>
std::int64_t count_row(const CsrPattern<Offset, Index>& csr, std::int64_t row,
                       const std::vector<std::int64_t>& diagonals, std::int64_t* on) {
  std::int64_t rest = 0;
  std::size_t d = 0;
  for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
    const std::int64_t diagonal = csr.column_indices[k] - row;
    while (d < diagonals.size() && diagonals[d] < diagonal) ++d;
    if (d == diagonals.size() || diagonals[d] != diagonal)
      ++rest;
    else
      ++on[d++];
  }
  return rest;
}

template <class Offset, class Index>
std::vector<std::int64_t> find_dense(const CsrPattern<Offset, Index>& csr) {
  if (csr.rows == 0) return {};
  const std::vector<std::int64_t> often = met_often(csr);
  if (often.empty()) return {};
  std::vector<std::int64_t> on(often.size(), 0);
  std::int64_t seen = 0, held = 0, rest = 0;
  const bool whole = csr.rows <= diagonal_sample;
  for (std::int64_t g = 0; g < (whole ? 1 : diagonal_groups); ++g) {
    const std::int64_t first = whole ? 0 : scattered(g, csr.rows - diagonal_group_rows);
    for (std::int64_t row = first; row < (whole ? csr.rows : first + diagonal_group_rows); ++row) {
      ++seen;
      if (too_long(csr, row))
        rest += csr.row_pointers[row + 1] - csr.row_pointers[row];
      else
        rest += count_row(csr, row, often, on.data());
    }
  }
  std::vector<std::int64_t> dense;
  for (std::size_t d = 0; d < often.size(); ++d) {
    if (2 * on[d] >= seen) {
      dense.push_back(often[d]);
      held += on[d];
    } else {
      rest += on[d];
    }
  }
  if (held < rest || static_cast<std::int64_t>(dense.size()) > most_diagonals) return {};
  return dense;
}

}  // namespace

std::vector<std::int64_t> dense_diagonals(const Matrix& matrix) {
  return matrix.visit_pattern([](const auto& csr) { return find_dense(csr); });
}

DenseDiagonals count_diagonals(const Matrix& matrix, const std::vector<std::int64_t>& diagonals, int threads) {
  DenseDiagonals result{static_cast<std::int64_t>(diagonals.size()), 0, 0};
  matrix.visit_pattern([&](const auto& csr) {
    using Index = typename std::decay_t<decltype(csr)>::Index;
    const std::vector<Index> narrow(diagonals.begin(), diagonals.end());
    std::int64_t rest = 0, rest_rows = 0;
#pragma omp parallel num_threads(threads) reduction(+ : rest, rest_rows) if (threads > 1)
    {
      std::vector<std::int64_t> on(diagonals.size(), 0);
#pragma omp for schedule(static)
      for (std::int64_t row = 0; row < csr.rows; ++row) {
        if (is_full(csr, row, narrow)) continue;
        const std::int64_t beside = count_row(csr, row, diagonals, on.data());
        rest += beside;
        rest_rows += beside > 0 ? 1 : 0;
      }
    }
    result.nonzeros = matrix.nonzeros() - rest;
    result.rest_rows = rest_rows;
  });
  return result;
}

}  // namespace sparsecast::matrix

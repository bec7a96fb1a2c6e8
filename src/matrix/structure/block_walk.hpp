#pragma once
// How rows fall into blocks: from the first column that no block before holds, as many columns as a block is wide. Rows
// walk side by side, so that no column is divided or looked up.

#include <algorithm>
#include <array>
#include <limits>
#include <sparsecast/matrix.hpp>

namespace sparsecast::matrix {
inline constexpr int least_block = 2, most_block = 8;  ///< rows and columns of a block

/// The blocks of `height` ≤ most_block rows from `row` on, of which the matrix may have fewer, in the order of their
/// columns: block(start) for each, then entry(i, k, start) for its entries k of row row + i, row by row.
/// `fixed`: the height where it is known to the compiler, and the matrix has as many rows; 0 where not.
template <int fixed = 0, class Offset, class Index, class Block, class Entry>
void walk_blocks(const CsrPattern<Offset, Index>& csr, std::int64_t row, int height, int width, const Block& block,
                 const Entry& entry) {
  constexpr std::int64_t none = std::numeric_limits<std::int64_t>::max();
  constexpr int most = fixed > 0 ? fixed : most_block;
  std::array<Offset, most> at, end;
  std::array<std::int64_t, most> column;
  const int rows = fixed > 0 ? fixed : static_cast<int>(std::min<std::int64_t>(height, csr.rows - row));
  std::int64_t start = none;
  for (int i = 0; i < rows; ++i) {
    at[i] = csr.row_pointers[row + i];
    end[i] = csr.row_pointers[row + i + 1];
    column[i] = at[i] < end[i] ? static_cast<std::int64_t>(csr.column_indices[at[i]]) : none;
    start = std::min(start, column[i]);
  }
  while (start != none) {
    block(start);
    std::int64_t next = none;
    for (int i = 0; i < rows; ++i) {
      while (column[i] - start < width) {
        entry(i, at[i], start);
        ++at[i];
        column[i] = at[i] < end[i] ? static_cast<std::int64_t>(csr.column_indices[at[i]]) : none;
      }
      next = std::min(next, column[i]);
    }
    start = next;
  }
}
}  // namespace sparsecast::matrix

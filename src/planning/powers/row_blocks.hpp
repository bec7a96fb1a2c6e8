#pragma once
// The rows of a square matrix cut into blocks, and which blocks each one has to do with: those that hold its columns
// and those whose rows have columns in it.

#include <sparsecast/matrix.hpp>
#include <vector>

namespace sparsecast::planning {
struct RowBlocks {
  std::vector<std::int64_t> bounds;       ///< of the rows, one more than blocks
  std::vector<std::int32_t> first, last;  ///< of every block: of the blocks that it has to do with, itself included

  [[nodiscard]] std::int32_t blocks() const { return static_cast<std::int32_t>(first.size()); }
  [[nodiscard]] std::int64_t rows(std::int32_t block) const {
    return bounds[static_cast<std::size_t>(block) + 1] - bounds[static_cast<std::size_t>(block)];
  }
};

/// Blocks of so many rows each, the last of fewer; a matrix without rows has none. The matrix is square.
[[nodiscard]] RowBlocks cut_rows(const Matrix& matrix, std::int64_t block_rows);
}  // namespace sparsecast::planning

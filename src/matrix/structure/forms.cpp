#include "matrix/structure/forms.hpp"

namespace sparsecast::matrix {
void analyze_diagonals(const Matrix& matrix, Structure& structure, int threads) {
  const std::vector<std::int64_t> diagonals = dense_diagonals(matrix);
  structure.dense_diagonals = diagonals.empty() ? DenseDiagonals{0, 0, structure.rows - structure.empty_rows}
                                                : count_diagonals(matrix, diagonals, threads);
}

void analyze_blocks(const Matrix& matrix, Structure& structure, int threads) {
  structure.dense_blocks = block_shape(matrix);
  if (structure.dense_blocks.rows > 0)
    structure.dense_blocks.blocks = count_blocks(matrix, structure.dense_blocks, threads);
  structure.dense_blocks.fill = fill_of(structure.dense_blocks, structure.nonzeros);
}

double fill_of(const DenseBlocks& blocks, std::int64_t nonzeros) {
  const std::int64_t slots = blocks.blocks * blocks.rows * blocks.cols;
  return slots > 0 ? static_cast<double>(nonzeros) / static_cast<double>(slots) : 0;
}
}  // namespace sparsecast::matrix

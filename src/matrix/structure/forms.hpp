#pragma once
// What forms made for a structure need of it: dense diagonals, blocks, symmetric values. Conversions and analyze() ask
// the same functions, so that the size that a Structure promises is that of what is built.
//
// Each looks at a sample first, whose cost does not grow with the matrix; only where the sample finds the structure is
// every entry looked at.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <vector>

namespace sparsecast::matrix {
/// Dense diagonals as column − row, ascending; none where they hold less than half of the sampled entries.
[[nodiscard]] std::vector<std::int64_t> dense_diagonals(const Matrix& matrix);
/// What those hold.
[[nodiscard]] DenseDiagonals count_diagonals(const Matrix& matrix, const std::vector<std::int64_t>& diagonals,
                                             int threads);

/// A shape of DenseBlocks, 0 × 0 where none is filled well; `blocks` is not counted.
[[nodiscard]] DenseBlocks block_shape(const Matrix& matrix);
/// How many blocks of that shape hold the entries.
[[nodiscard]] std::int64_t count_blocks(const Matrix& matrix, const DenseBlocks& shape, int threads);
/// DenseBlocks::fill of so many non-zeros.
[[nodiscard]] double fill_of(const DenseBlocks& blocks, std::int64_t nonzeros);

[[nodiscard]] ValueSymmetry value_symmetry(const Matrix& matrix, int threads);
/// What the sample of value_symmetry() says: 0 for certain, 1 unless other entries refute it. The same as
/// value_symmetry() where they do not.
[[nodiscard]] ValueSymmetry presumed_symmetry(const Matrix& matrix);

/// Fill the fields of the first two.
void analyze_diagonals(const Matrix& matrix, Structure& structure, int threads);
void analyze_blocks(const Matrix& matrix, Structure& structure, int threads);
}  // namespace sparsecast::matrix

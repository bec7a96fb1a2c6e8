#pragma once
// Dense blocks. Conversions and analyze() ask the same functions, so that the size that a Structure promises is that of
// what is built. A sample is looked at first, whose cost does not grow with the matrix; only where it finds blocks is
// every entry looked at.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
/// A shape of DenseBlocks, 0 × 0 where none is filled well; `blocks` is not counted.
[[nodiscard]] DenseBlocks block_shape(const Matrix& matrix);
/// How many blocks of that shape hold the entries; `sampled`: of many rows a seventh stands for all.
[[nodiscard]] std::int64_t count_blocks(const Matrix& matrix, const DenseBlocks& shape, int threads,
                                        bool sampled = false);
/// DenseBlocks::fill of so many non-zeros.
[[nodiscard]] double fill_of(const DenseBlocks& blocks, std::int64_t nonzeros);

/// Fills the field on blocks.
void analyze_blocks(const Matrix& matrix, Structure& structure, int threads, bool presume = false);
}  // namespace sparsecast::matrix

#pragma once
// Dense diagonals. Conversions and analyze() ask the same functions, so that the size that a Structure promises is that
// of what is built. A sample is looked at first, whose cost does not grow with the matrix; only where it finds
// diagonals is every entry looked at.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
/// Dense diagonals as column − row, ascending; none where they hold less than half of the sampled entries.
[[nodiscard]] std::vector<std::int64_t> dense_diagonals(const Matrix& matrix);
/// What those hold; `sampled`: of many rows a seventh stands for all.
[[nodiscard]] DenseDiagonals count_diagonals(const Matrix& matrix, const std::vector<std::int64_t>& diagonals,
                                             int threads, bool sampled = false);
/// Fills the field on diagonals.
void analyze_diagonals(const Matrix& matrix, Structure& structure, int threads, bool presume = false);
}  // namespace sparsecast::matrix

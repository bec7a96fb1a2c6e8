#pragma once
// A matrix that is not square has no iteration x ← A·x, but a product y = A·x. The schemes then distribute it as the
// square matrix that it becomes with empty rows or columns at its end: one iteration of that is the product.

#include <cstdint>
#include <sparsecast/matrix.hpp>

namespace sparsecast::cluster {
/// Of so many asked for, one where the matrix is not square.
inline int iterations_of(std::int64_t rows, std::int64_t cols, int asked) { return rows == cols ? asked : 1; }

/// The matrix itself where it is square.
Matrix padded_square(const Matrix& matrix);
}  // namespace sparsecast::cluster

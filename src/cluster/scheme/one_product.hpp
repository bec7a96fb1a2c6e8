#pragma once
// A matrix that is not square has no iteration x ← A·x, but a product y = A·x. The schemes then distribute it as the
// square matrix that it becomes with empty rows or columns at its end: one iteration of that is the product.

#include <sparsecast/matrix.hpp>
#include <string>

namespace sparsecast::cluster {

/// Error usage for a matrix that is not square, unless a single iteration is asked for.
void require_iterable(std::int64_t rows, std::int64_t cols, int iterations, const std::string& name);

/// The matrix itself where it is square.
Matrix padded_square(const Matrix& matrix);

}  // namespace sparsecast::cluster

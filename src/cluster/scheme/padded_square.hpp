#pragma once
// A matrix that is not square has no iteration x ← A·x, but a product y = A·x. The schemes then distribute it as the
// square matrix that it becomes with empty rows or columns at its end: one iteration of that is the product, and as
// many as are asked for are products with the same x.

#include <cstdint>
#include <sparsecast/matrix.hpp>

namespace sparsecast::cluster {
/// The matrix itself where it is square.
Matrix padded_square(const Matrix& matrix);
}  // namespace sparsecast::cluster

#pragma once
// Completes a symmetric matrix from its strictly lower triangle.

#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
/// `lower` describes the rows of the strictly lower triangle (columns below the row's number). The result has that
/// triangle, its mirror image and a full diagonal; values are symmetric_values(seed).
Matrix build_symmetric(const RowRecipe& lower, std::uint64_t seed, std::string name, int threads);
}  // namespace sparsecast::matrix

#pragma once
// Whether the values of a matrix are symmetric. Conversions and analyze() ask the same functions, so that the size that
// a Structure promises is that of what is built.

#include <sparsecast/structure.hpp>

namespace sparsecast::matrix {
[[nodiscard]] ValueSymmetry value_symmetry(const Matrix& matrix, int threads);
/// What the sample of value_symmetry() says: 0 for certain, 1 unless other entries refute it. The same as
/// value_symmetry() where they do not.
[[nodiscard]] ValueSymmetry presumed_symmetry(const Matrix& matrix);
}  // namespace sparsecast::matrix

#pragma once
// The transpose of a matrix as a matrix of its own, for programs that multiply by Aᵀ so often that it pays to hold it
// (`sparsecast optimize --transposed` says from how many products on).

#include <sparsecast/matrix.hpp>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Aᵀ: cols × rows, canonical, with the values of `matrix`, under its name with "ᵀ". One pass over the entries by a
/// counting sort of the columns; sequential; std::bad_alloc where memory is short. Thread safety: safe from
/// several threads at once.
[[nodiscard]] Matrix transpose(const Matrix& matrix);

}  // namespace sparsecast
#pragma GCC visibility pop

#pragma once
// P·A·Pᵀ: a square matrix with its rows and columns in another order.

#include <sparsecast/matrix.hpp>

namespace sparsecast::matrix {
/// Row p of the result is row old_place[p], and its columns are numbered likewise. Widths of indices and values stay,
/// columns ascend. `old_place` holds every number from 0 to rows − 1 once; that is the caller's word.
[[nodiscard]] Matrix permuted(const Matrix& matrix, std::span<const std::int64_t> old_place, int threads);
}  // namespace sparsecast::matrix

#pragma once
// Rows of a matrix as a matrix of their own (all columns), for conversion into a block's format.

#include <cstdint>
#include <sparsecast/matrix.hpp>

namespace sparsecast::planning {

/// Rows first … last − 1. Columns and values stay the matrix's, which the range keeps alive; only row pointers are
/// made.
[[nodiscard]] Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last);

}  // namespace sparsecast::planning

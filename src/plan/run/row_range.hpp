#pragma once
// Rows of a matrix as a matrix of their own (all columns), for conversion into a block's format.

#include <cstdint>
#include <sparsecast/matrix.hpp>

namespace sparsecast::planning {

/// Rows first … last − 1. The whole matrix shares its storage; any other range is copied.
[[nodiscard]] Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last);

}  // namespace sparsecast::planning

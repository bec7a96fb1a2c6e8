#pragma once
// Row lengths of a Matrix as the conversions need them: the longest row, how many rows have which length, and the rows
// in descending order of length.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
[[nodiscard]] std::int64_t longest_row(const Matrix& matrix, int threads);

/// Ascending in length, lengths without rows left out; the same as Structure::row_histogram.
[[nodiscard]] std::vector<RowLengthCount> row_length_histogram(const Matrix& matrix, int threads);

/// Row numbers, longest row first within each window of `window` consecutive rows; rows of equal length keep their
/// order (SELL-C-σ's σ; JAD: one window over all rows).
template <class Index>
[[nodiscard]] Array<Index> rows_by_length(const Matrix& matrix, std::int64_t window, int threads);
}  // namespace sparsecast::formats

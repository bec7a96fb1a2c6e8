#pragma once
// Rows of a matrix as a matrix of their own (all columns), for conversion into a block's format.

#include "formats/host_product.hpp"

namespace sparsecast::planning {
/// Rows first … last − 1. Columns and values stay the matrix's, which the range keeps alive; only row pointers are
/// made.
[[nodiscard]] Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last);

// CSR with the rows sorted by length within windows: rows of one length follow each other, so that the end of a row is
// predicted. The order is undone on output. For one thread; a piece of a plan (host_runner.cpp).

/// Rows of a window: its sums stay in the first-level cache until they are put in their places.
inline constexpr std::int64_t sorted_window_rows = 1024;

template <class Value>
[[nodiscard]] std::unique_ptr<formats::HostProduct<Value>> build_sorted_rows(const Matrix& matrix);
}  // namespace sparsecast::planning

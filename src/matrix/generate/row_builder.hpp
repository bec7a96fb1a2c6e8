#pragma once
// Builds a matrix row by row, in parallel: first every row's length, then its columns, then its values.

#include <functional>
#include <sparsecast/matrix.hpp>

#include "matrix/generate/distinct_columns.hpp"

namespace sparsecast::matrix {
/// What a generator says of its matrix. The functions are called from several threads at once, each row once.
struct RowRecipe {
  std::int64_t rows = 0, cols = 0;
  /// Non-zeros of a row.
  std::function<std::int64_t(std::int64_t row)> length;
  /// Writes as many columns, ascending and distinct.
  std::function<void(std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch)> columns;
  /// Writes the values of a row.
  std::function<void(std::int64_t row, std::span<const std::int32_t> columns, std::span<double> values)> values;
  /// Instead of `columns`: consecutive rows that are made in order by one thread, `group_rows` at a time.
  std::int64_t group_rows = 0;
  /// Writes the columns of rows [first, last); `starts` holds the offsets of these rows in `columns` and its end.
  std::function<void(std::int64_t first, std::int64_t last, std::span<const std::int64_t> starts,
                     std::span<std::int32_t> columns, DrawScratch& scratch)>
      group_columns;
};

/// Refuses (Error usage, with the figure) a matrix that this machine's memory or 31-bit column numbers cannot hold.
/// `nonzeros` may be an estimate.
void require_buildable(const std::string& what, double rows, double cols, double nonzeros);

Matrix build_rows(const RowRecipe& recipe, std::string name, int threads);

/// Values of a general matrix: a function of seed and row.
std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> random_values(std::uint64_t seed);
/// Values of a symmetric matrix: a function of seed and the unordered pair (row, column).
std::function<void(std::int64_t, std::span<const std::int32_t>, std::span<double>)> symmetric_values(
    std::uint64_t seed);
}  // namespace sparsecast::matrix

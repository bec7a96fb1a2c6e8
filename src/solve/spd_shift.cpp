#include "solve/spd_shift.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <utility>

namespace sparsecast::solve {
namespace {

// The pattern of the transpose; columns ascend within a row, as its rows are gone through in order.
template <class Pattern>
std::pair<Array<std::int64_t>, Array<std::int64_t>> transposed_pattern(const Pattern& csr) {
  Array<std::int64_t> pointers(static_cast<std::size_t>(csr.rows) + 1, 0);
  for (const auto column : csr.column_indices) ++pointers[static_cast<std::size_t>(column) + 1];
  for (std::size_t i = 1; i < pointers.size(); ++i) pointers[i] += pointers[i - 1];
  Array<std::int64_t> next(pointers.begin(), pointers.end() - 1), columns(csr.column_indices.size());
  for (std::int64_t row = 0; row < csr.rows; ++row)
    for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
      columns[static_cast<std::size_t>(next[static_cast<std::size_t>(csr.column_indices[k])]++)] = row;
  return {std::move(pointers), std::move(columns)};
}

template <class Offset, class Index, class Pattern>
Csr<Offset, Index> laplacian(const Pattern& csr, const Array<std::int64_t>& pointers,
                             const Array<std::int64_t>& columns) {
  Csr<Offset, Index> out;
  out.rows = out.cols = csr.rows;
  out.row_pointers.reserve(static_cast<std::size_t>(csr.rows) + 1);
  out.row_pointers.push_back(0);
  out.column_indices.reserve(2 * csr.column_indices.size() + static_cast<std::size_t>(csr.rows));
  for (std::int64_t row = 0; row < csr.rows; ++row) {
    auto k = csr.row_pointers[row];
    const auto end = csr.row_pointers[row + 1];
    std::int64_t t = pointers[static_cast<std::size_t>(row)];
    const std::int64_t t_end = pointers[static_cast<std::size_t>(row) + 1];
    bool diagonal = false;
    const std::size_t first = out.column_indices.size();
    const auto add = [&](std::int64_t column) {
      if (!diagonal && column > row) {
        out.column_indices.push_back(static_cast<Index>(row));
        diagonal = true;
      }
      if (column != row) out.column_indices.push_back(static_cast<Index>(column));
    };
    while (k < end || t < t_end) {
      const std::int64_t mine = k < end ? static_cast<std::int64_t>(csr.column_indices[k]) : csr.rows;
      const std::int64_t other = t < t_end ? columns[static_cast<std::size_t>(t)] : csr.rows;
      k += mine <= other ? 1 : 0;
      t += other <= mine ? 1 : 0;
      add(std::min(mine, other));
    }
    if (!diagonal) out.column_indices.push_back(static_cast<Index>(row));
    const std::size_t count = out.column_indices.size() - first;
    for (std::size_t i = first; i < out.column_indices.size(); ++i)
      out.values.push_back(out.column_indices[i] == static_cast<Index>(row) ? static_cast<double>(count) : -1.0);
    out.row_pointers.push_back(static_cast<Offset>(out.column_indices.size()));
  }
  return out;
}

}  // namespace

Matrix spd_shift(const Matrix& matrix) {
  if (matrix.rows() != matrix.cols())
    throw Error(
        ErrorCode::bad_input,
        fmt::format("a matrix of {} rows and {} columns has no graph's Laplacian", matrix.rows(), matrix.cols()),
        {matrix.name()}, "--shift spd takes square matrices");
  return matrix.visit_pattern([&](const auto& csr) {
    const auto transposed = transposed_pattern(csr);
    const std::int64_t most = 2 * matrix.nonzeros() + matrix.rows();
    const std::string name = matrix.name() + "+spd";
    if (Matrix::fits32(most))
      return Matrix(laplacian<std::int32_t, std::int32_t>(csr, transposed.first, transposed.second), name);
    if (Matrix::fits32(matrix.rows()))
      return Matrix(laplacian<std::int64_t, std::int32_t>(csr, transposed.first, transposed.second), name);
    return Matrix(laplacian<std::int64_t, std::int64_t>(csr, transposed.first, transposed.second), name);
  });
}

}  // namespace sparsecast::solve

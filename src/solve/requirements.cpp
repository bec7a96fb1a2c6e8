#include "solve/requirements.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/text.hpp"

namespace sparsecast::solving {
namespace {
// Of two entries that are to be equal; matrices are written with so many digits and more.
constexpr double same_within = 1e-12;

[[noreturn]] void refuse(const Matrix& matrix, const std::string& reason, const std::string& remedy) {
  throw Error(ErrorCode::bad_input, reason, {matrix.name()}, remedy);
}

// The first entry without its equal across the diagonal. Rows are gone through in order, so the entries of column j
// below the diagonal are met in the order in which they stand in row j.
void require_symmetric(const Matrix& matrix, std::string_view who) {
  matrix.visit([&](const auto& csr) {
    const auto differ = [&](std::int64_t row, std::int64_t column) {
      refuse(matrix,
             fmt::format("{} asks for a symmetric matrix; entries ({}, {}) and ({}, {}) differ", who, row + 1,
                         column + 1, column + 1, row + 1),
             "take bicgstab or gmres, or --shift spd");
    };
    Array<std::int64_t> next(static_cast<std::size_t>(csr.rows));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      next[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(csr.row_pointers[row]);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      for (std::int64_t k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const std::int64_t column = csr.column_indices[k];
        std::int64_t& across = next[static_cast<std::size_t>(column)];
        if (across >= csr.row_pointers[column + 1] || csr.column_indices[across] != row) differ(row, column);
        const double a = csr.values[k], b = csr.values[across];
        if (std::abs(a - b) > same_within * std::max(std::abs(a), std::abs(b))) differ(row, column);
        ++across;
      }
    }
  });
}
}  // namespace

Array<double> diagonal_of(const Matrix& matrix) {
  Array<double> diagonal(static_cast<std::size_t>(matrix.rows()), 0.0);
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const auto* begin = csr.column_indices.data() + csr.row_pointers[row];
      const auto* end = csr.column_indices.data() + csr.row_pointers[row + 1];
      const auto* found = std::lower_bound(begin, end, row);
      if (found != end && *found == row)
        diagonal[static_cast<std::size_t>(row)] = csr.values[found - csr.column_indices.data()];
    }
  });
  return diagonal;
}

void require_fit(const Matrix& matrix, const Method& method, PreconditionerKind preconditioner) {
  const std::string name = method.name();
  if (preconditioner != PreconditionerKind::none && !method.info->preconditions)
    throw Error(ErrorCode::usage, fmt::format("{} takes no preconditioner", name), {}, "leave --preconditioner away");
  if (matrix.rows() != matrix.cols())
    refuse(matrix,
           fmt::format("{} asks for a square matrix and this has {} rows and {} columns", name,
                       base::format_count(matrix.rows()), base::format_count(matrix.cols())),
           "solve the normal equations, or take a square matrix");
  if (matrix.rows() == 0) refuse(matrix, "there is nothing to solve in a matrix without rows", "take another matrix");
  const bool ic0 = preconditioner == PreconditionerKind::ic0;
  const Array<double> diagonal = diagonal_of(matrix);
  const auto zero = std::ranges::find(diagonal, 0.0);
  const bool divides = method.info->diagonal || preconditioner == PreconditionerKind::jacobi || ic0 ||
                       preconditioner == PreconditionerKind::ilu0;
  if (divides && zero != diagonal.end())
    refuse(
        matrix,
        fmt::format("{} divides by the diagonal, which is zero in row {}",
                    method.info->diagonal ? name : std::string(name_of(preconditioner)), zero - diagonal.begin() + 1),
        "take --preconditioner none or block-jacobi, or --shift spd");
  if (method.info->symmetric || ic0) require_symmetric(matrix, method.info->symmetric ? name : "ic0");
  if (!method.info->positive && !ic0) return;
  const auto low = std::ranges::find_if(diagonal, [](double value) { return !(value > 0); });
  if (low != diagonal.end())
    refuse(matrix,
           fmt::format("{} asks for a positive definite matrix; the diagonal is {:g} in row {}",
                       method.info->positive ? name : "ic0", *low, low - diagonal.begin() + 1),
           "take bicgstab or gmres, or --shift spd");
}

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
}  // namespace sparsecast::solving

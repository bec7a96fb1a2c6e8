#include "solving/requirements.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <complex>
#include <sparsecast/error.hpp>
#include <sparsecast/transpose.hpp>

#include "base/text.hpp"
#include "fields/wording.hpp"
#include "solving/laplacian.hpp"

namespace sparsecast::solving {
namespace {
// Of two entries that are to be equal; matrices are written with so many digits and more.
constexpr double same_within = 1e-12;

[[noreturn]] void refuse(const Matrix& matrix, const std::string& reason, const wording::Text& remedy) {
  throw Error(ErrorCode::bad_input, reason, {matrix.name()}, remedy);
}

void require_square(const std::string& matrix, std::int64_t rows, std::int64_t cols, std::string_view who) {
  if (rows == cols) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{} needs a square matrix, and this one has {} rows and {} columns", who,
                          base::format_count(rows), base::format_count(cols)),
              {matrix}, "solve the normal equations, or use a square matrix");
}

// LOBPCG looks for its block within three of them.
void require_rows(const std::string& matrix, std::int64_t rows, const Method& method) {
  if (method.kind() != MethodKind::lobpcg || 3 * std::int64_t{method.parameter} <= rows) return;
  throw Error(ErrorCode::bad_input,
              fmt::format("{} needs {} rows, three for each eigenvalue, and the matrix has {}", method.name(),
                          base::format_count(3 * std::int64_t{method.parameter}), base::format_count(rows)),
              {matrix},
              rows >= 3 ? fmt::format("ask for fewer, lobpcg:{} at most", rows / 3)
                        : "take the eigenvalues of so small a matrix from a dense solver");
}

template <class Value>
auto conjugate(Value value) {
  if constexpr (is_complex_value<Value>) {
    return std::conj(value);
  } else {
    return value;
  }
}

// Sums of squares of numbers beyond these overflow a double, or vanish in it: a norm is then infinite, or 0 as if the
// method had converged.
constexpr double least_squared = 1e-140, most_squared = 1e140;

void require_squares(const Matrix& matrix, std::string_view who) {
  const double largest = matrix.visit_any([](const auto& csr) {
    double most = 0;
    for (const auto& value : csr.values) most = std::max(most, static_cast<double>(std::abs(value)));
    return most;
  });
  if (largest == 0 || (largest >= least_squared && largest <= most_squared)) return;
  refuse(matrix,
         fmt::format("{} takes norms of products, and a double does not hold the square of the largest entry, {:g}",
                     who, largest),
         "scale the matrix");
}

// The first entry without its equal, or its conjugate, across the diagonal. Rows are gone through in order, so the
// entries of column j below the diagonal are met in the order in which they stand in row j.
void require_symmetric(const Matrix& matrix, std::string_view who) {
  matrix.visit_any([&](const auto& csr) {
    const auto differ = [&](std::int64_t row, std::int64_t column) {
      refuse(matrix,
             fmt::format("{} needs a {} matrix; entries ({}, {}) and ({}, {}) differ", who,
                         matrix.is_complex() ? "Hermitian" : "symmetric", row + 1, column + 1, column + 1, row + 1),
             (matrix.is_complex() ? "pass its plan to SciPy's solvers, or " : "use bicgstab or gmres, or ") +
                 asking_for_spd());
    };
    Array<std::int64_t> next(static_cast<std::size_t>(csr.rows));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      next[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(csr.row_pointers[row]);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      for (std::int64_t k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const std::int64_t column = csr.column_indices[k];
        std::int64_t& across = next[static_cast<std::size_t>(column)];
        if (across >= csr.row_pointers[column + 1] || csr.column_indices[across] != row) differ(row, column);
        const auto a = csr.values[k], b = conjugate(csr.values[across]);
        if (std::abs(a - b) > same_within * std::max<double>(std::abs(a), std::abs(b))) differ(row, column);
        ++across;
      }
    }
  });
}
}  // namespace

Array<double> diagonal_of(const Matrix& matrix) {
  Array<double> diagonal(static_cast<std::size_t>(matrix.rows()), 0.0);
  matrix.visit_any([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const auto* begin = csr.column_indices.data() + csr.row_pointers[row];
      const auto* end = csr.column_indices.data() + csr.row_pointers[row + 1];
      const auto* found = std::lower_bound(begin, end, row);
      if (found != end && *found == row)
        diagonal[static_cast<std::size_t>(row)] = std::real(csr.values[found - csr.column_indices.data()]);
    }
  });
  return diagonal;
}

Array<double> inverse_diagonal(const Matrix& matrix) {
  Array<double> inverse;
  for (const double value : diagonal_of(matrix)) inverse.insert(inverse.end(), numbers_of_value(matrix), 1 / value);
  return inverse;
}

void require_fit(const Structure& structure, const Method& method) {
  require_square(structure.name, structure.rows, structure.cols, method.name());
  require_rows(structure.name, structure.rows, method);
  if (method.info->symmetric && structure.symmetry.symmetric == 0)
    throw Error(ErrorCode::bad_input,
                fmt::format("{} needs a symmetric matrix, and this one is not symmetric", method.name()),
                {structure.name}, "use bicgstab or gmres, or " + asking_for_spd());
}

void require_fit(const Matrix& matrix, const Method& method, PreconditionerKind preconditioner) {
  const std::string name = method.name();
  if (preconditioner != PreconditionerKind::none && !method.info->preconditions)
    throw Error(ErrorCode::usage, fmt::format("{} takes no preconditioner", name), {},
                wording::format("omit {}", wording::option("preconditioner")));
  require_square(matrix.name(), matrix.rows(), matrix.cols(), name);
  if (matrix.is_complex() && (!method.info->symmetric || method.info->eigen))
    refuse(matrix, fmt::format("{} solves real systems, and the values are complex", name),
           "use cg or chebyshev for a Hermitian matrix, or pass its plan to SciPy's solvers");
  if (matrix.is_complex() && preconditioner != PreconditionerKind::none && preconditioner != PreconditionerKind::jacobi)
    refuse(matrix, fmt::format("{} needs real values, and these are complex", name_of(preconditioner)),
           wording::format("use {} jacobi or none", wording::option("preconditioner")));
  if (matrix.rows() == 0) refuse(matrix, "a matrix without rows leaves nothing to solve", "use another matrix");
  if (method.info->squares) require_squares(matrix, name);
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
        wording::format("use {} none or block-jacobi, or {}", wording::option("preconditioner"), asking_for_spd()));
  require_rows(matrix.name(), matrix.rows(), method);
  if (method.info->symmetric || ic0) require_symmetric(matrix, method.info->symmetric ? name : "ic0");
  const bool definite = method.info->definite && preconditioner != PreconditionerKind::none;
  if (!method.info->positive && !ic0 && !definite) return;
  const auto low = std::ranges::find_if(diagonal, [](double value) { return !(value > 0); });
  if (low == diagonal.end()) return;
  const std::int64_t row = low - diagonal.begin() + 1;
  if (definite && !ic0)
    refuse(
        matrix,
        fmt::format("{} needs a positive definite preconditioner; the diagonal, of which {} is made, is {:g} in row {}",
                    name, name_of(preconditioner), *low, row),
        wording::format("use {} none, or {}", wording::option("preconditioner"), asking_for_spd()));
  refuse(matrix,
         fmt::format("{} needs a positive definite matrix; the diagonal is {:g} in row {}",
                     method.info->positive ? name : "ic0", *low, row),
         "use bicgstab or gmres, or " + asking_for_spd());
}
}  // namespace sparsecast::solving

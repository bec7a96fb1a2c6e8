#pragma once
// What a method and a preconditioner ask of a matrix, looked at before any work.

#include <sparsecast/array.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>

#include "solving/method.hpp"
#include "solving/preconditioners/preconditioner_table.hpp"

namespace sparsecast::solving {
/// Error bad_input, one line, where the matrix is not square, not symmetric, not positive definite as far as its
/// diagonal tells, or has a zero on the diagonal, and the method or the preconditioner asks for it, or where norms of
/// products with its entries would overflow or vanish; usage where the method takes no such preconditioner.
void require_fit(const Matrix& matrix, const Method& method, PreconditionerKind preconditioner);
/// The same without a preconditioner, as far as a structure tells.
void require_fit(const Structure& structure, const Method& method);

/// Real numbers that a value of a vector is: 1, of complex ones 2.
[[nodiscard]] inline int numbers_of_value(const Matrix& matrix) { return matrix.is_complex() ? 2 : 1; }
/// The diagonal, 0 where there is no entry; of complex values the real parts.
[[nodiscard]] Array<double> diagonal_of(const Matrix& matrix);
/// What each number of a vector is multiplied with to be divided by that diagonal.
[[nodiscard]] Array<double> inverse_diagonal(const Matrix& matrix);
}  // namespace sparsecast::solving

#pragma once
// Incomplete factors on the pattern of the matrix, ILU(0) (Meijerink & van der Vorst 1977; Saad, Iterative Methods,
// 10.3.2). Of a symmetric matrix they are those of IC(0): L·D·Lᵀ, D being the diagonal of U.

#include <sparsecast/array.hpp>
#include <sparsecast/matrix.hpp>
#include <string_view>

namespace sparsecast::solving {
struct IncompleteFactors {
  Array<double> values;   ///< in the matrix's pattern: L below the diagonal, whose own is 1, U from it on
  Array<double> inverse;  ///< of the diagonal of U
};

/// Error bad_input, which names `whose` they are, for a pivot that is zero or not there or, where they are to be
/// `positive`, not positive.
[[nodiscard]] IncompleteFactors incomplete_factors(const Matrix& matrix, bool positive, std::string_view whose);

/// Multiplications that it takes, but for those that fall outside of the pattern.
[[nodiscard]] double eliminations(const Matrix& matrix);
}  // namespace sparsecast::solving

#pragma once
// A symmetric positive definite matrix with the pattern of any square one: the Laplacian of the graph of its
// symmetrised pattern, plus the identity. Every method can be timed on it.

#include <sparsecast/matrix.hpp>

#include "fields/wording.hpp"

namespace sparsecast::solving {
/// Off the diagonal −1 wherever the matrix or its transpose has an entry, on it the number of those and one. Error
/// bad_input for a matrix that is not square.
[[nodiscard]] Matrix spd_shift(const Matrix& matrix);
/// How that is asked for: by name, as methods are refused in questions that lack the option, too.
[[nodiscard]] inline wording::Text asking_for_spd() {
  return wording::ask("solve", {{"shift", wording::word("spd", "MatrixShift::spd")}});
}
}  // namespace sparsecast::solving

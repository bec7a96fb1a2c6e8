#include "support/planned.hpp"

namespace sparsecast::test {
Plan planned(const Matrix& matrix, const Profile& profile) {
  const Precision precision = matrix.is_complex() ? Precision::complex_double_ : Precision::double_;
  return {matrix, Planner(profile, precision, 1).strategy(matrix)};
}
}  // namespace sparsecast::test

#pragma once
// What planning may cost: bounds on its work, from the estimated time of a product of the matrix.

#include <cstddef>
#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/profile.hpp>

namespace sparsecast::planning {

/// How much may be spent on a matrix of that size.
struct Allowance {
  /// `kernels`: how many there are to choose among.
  Allowance(const Matrix& matrix, const Profile& profile, std::size_t kernels);

  std::int64_t most_strips = 0;
  std::int64_t sampled_nonzeros = 0;
};

}  // namespace sparsecast::planning

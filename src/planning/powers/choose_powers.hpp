#pragma once
// Whether k powers of a matrix are computed block by block, and how: the forecast of every order of rows and depth of
// blocking, and of k products of the plan that was found, which of them is least, and why.

#include <memory>
#include <sparsecast/plan.hpp>
#include <vector>

namespace sparsecast::planning {
/// What is known of the device: nothing where nothing was measured, or nothing is to be forecast.
struct PowersForecasters {
  const Profile* profile = nullptr;
  std::shared_ptr<const Planner> planner = {};     ///< for as many threads as the plan has
  std::shared_ptr<const Planner> one_thread = {};  ///< for one, on which a block is multiplied
  double memory_rate = 0;  ///< B/s that the device's memory gives now, MemoryNow's; 0: not looked
};

/// What was chosen, and ways of blocking that are forecast to take little longer: which of them is the fastest depends
/// on how much the caches hold beside other programs', and a plan may time them.
struct PowersChoice {
  PowersStrategy strategy;
  std::vector<PowersStrategy> others = {};
};

/// `plain`: how one product of the matrix is computed. Error usage where the matrix is not square or k is not positive.
[[nodiscard]] PowersChoice choose_powers(const Matrix& matrix, std::int64_t k, const Strategy& plain,
                                         const PowersForecasters& forecasters);
}  // namespace sparsecast::planning

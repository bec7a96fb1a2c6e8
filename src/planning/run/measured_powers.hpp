#pragma once
// Powers of a plan and products of one in turns, with vectors of the matrix's size.

#include <sparsecast/plan.hpp>

namespace sparsecast::planning {
/// Medians over the rounds, each of which times all four ways once.
struct PowersTurns {
  double last_s = 0;      ///< Aᵏ·x alone, by the plan for powers
  double all_s = 0;       ///< all powers kept, by it
  double products_s = 0;  ///< k products between two vectors
  double kept_s = 0;      ///< k products, each into a vector of its own
};

/// At most so many rounds, and none that begins after most_s; three at least. k vectors more are held meanwhile.
[[nodiscard]] PowersTurns time_powers(const Plan& powers, const Plan& products, int rounds, double most_s);

[[nodiscard]] MeasuredPowers measure_powers(const Plan& powers, const Plan& products);
}  // namespace sparsecast::planning

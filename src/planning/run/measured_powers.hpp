#pragma once
// The truth about powers: a plan's, with all kept and the last alone, and as many products of another plan, timed in
// turns.

#include <sparsecast/plan.hpp>

namespace sparsecast::planning {
/// `products`: a plan of the same matrix in the same precision.
[[nodiscard]] MeasuredPowers measure_powers(const Plan& powers, const Plan& products);
}  // namespace sparsecast::planning

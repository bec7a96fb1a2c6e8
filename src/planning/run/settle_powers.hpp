#pragma once
// A plan's powers timed beside its products, so that the slower of the two ways is not taken: forecasts of both hang on
// what memory gives, which on a shared machine is not what it was.

#include <memory>
#include <span>
#include <sparsecast/plan.hpp>
#include <sparsecast/plan_request.hpp>

#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
/// Whether a plan of that request is for so many powers that products are tried for them: on the host, of real values,
/// by a calibration of this machine.
[[nodiscard]] bool are_many_powers(const PlanRequest& request, const Strategy& strategy);
/// Whether powers are timed then: where blocks of rows are forecast to be worth a look, and memory holds the vectors.
[[nodiscard]] bool times_powers(const PlanRequest& request, const Strategy& strategy, std::int64_t rows);

/// Takes the faster way for the last power and for all of them; strategy.powers then tells what was measured. `others`:
/// ways of blocking beside the strategy's, of which the one that gains most over products is taken.
void settle_powers(const std::shared_ptr<Runner>& runner, const Matrix& matrix,
                   std::span<const PowersStrategy> others = {});
}  // namespace sparsecast::planning

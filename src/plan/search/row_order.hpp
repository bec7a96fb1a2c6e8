#pragma once
// Which blocks of a strategy take their rows in the order of their lengths (plan/run/sorted_rows.hpp).

#include <sparsecast/plan.hpp>
#include <vector>

#include "plan/search/quick_forecast.hpp"

namespace sparsecast::planning {

/// Sets `reordered` where that pays, or as `reorder` asks, with the block's forecast and conversion.
void reorder_rows(std::vector<PlannedBlock>& blocks, const StripSums& strips, const Gathering& gathering,
                  const QuickForecast& quick, int threads, Reorder reorder);

}  // namespace sparsecast::planning

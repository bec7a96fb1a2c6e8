#pragma once
// Which blocks of a strategy take their rows in the order of their lengths (plan/run/row_range.hpp).

#include <sparsecast/plan.hpp>

#include "forecast/model_set.hpp"

namespace sparsecast::planning {
/// Sets `reordered` where that pays, or as `reorder` asks, with the block's forecast and conversion. `rows`: what the
/// models saw of the block, all of it or as if the whole matrix were like it; `forecast`: of those.
void reorder_rows(PlannedBlock& block, const Structure& rows, const Forecast& forecast,
                  const forecast::ModelSet& models, int threads, Reorder reorder);
}  // namespace sparsecast::planning

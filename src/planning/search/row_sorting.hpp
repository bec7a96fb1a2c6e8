#pragma once
// Whether a block of csr rows is multiplied in the order of its row lengths within windows: a processor that foresees
// where rows end loses less than putting every sum back in its place costs.

#include <sparsecast/plan.hpp>

#include "forecast/model_set.hpp"

namespace sparsecast::planning {
/// Sets `reordered` where that pays, or as `reorder` asks, with the block's time and conversion. `rows`: what the
/// models saw of the block, all of it or as if the whole matrix were like it; `forecast`: of those; `row_s`: what a sum
/// put in its place costs.
void sort_rows(PlannedBlock& block, const Structure& rows, const Forecast& forecast, const forecast::ModelSet& models,
               double row_s, Reorder reorder);
}  // namespace sparsecast::planning

#pragma once
// How good the forecasts of a table were: cases with their intervals, and a summary for every model.

#include "gpu_code/tuning_space.hpp"

namespace sparsecast::gpu_code {

/// Fills cases and summary from the configurations.
void add_judgement(TuningReport& report, const KernelTimes& times);

}  // namespace sparsecast::gpu_code

#pragma once
// Forecasts of GPUs by one of three levels: the data sheet; some products measured there ("anchors" or a probe), which
// move its costs; a table of hundreds, over which trees are grown for each kernel.

#include <sparsecast/forecast.hpp>

#include "forecast/machines/gpu_model.hpp"

namespace sparsecast::forecast {
/// The profile's tier says which level. The coefficients must outlive the model.
std::unique_ptr<FittedModel> fit_gpu_model(const Profile& profile, const FitOptions& options,
                                           const GpuModel& coefficients = GpuModel::current());
}  // namespace sparsecast::forecast

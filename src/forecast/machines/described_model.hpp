#pragma once
// Forecasts for a machine of which little or nothing was measured: the tiers "data sheet" and "probe".

#include <sparsecast/forecast.hpp>

#include "forecast/machines/machine_model.hpp"
#include "forecast/model_names.hpp"

namespace sparsecast::forecast {
/// Error bad_input where the profile's description lacks a number that forecasts need. The coefficients must outlive
/// the model.
std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients = MachineModel::current());

/// Kernels that such a profile can be asked for: those measured, else those of the description's kind and vendor.
std::vector<std::string> described_kernels(const Profile& profile,
                                           const MachineModel& coefficients = MachineModel::current());
}  // namespace sparsecast::forecast

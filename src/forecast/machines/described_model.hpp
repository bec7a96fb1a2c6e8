#pragma once
// Forecasts for a machine of which little or nothing was measured: the tiers "data sheet" and "probe".

#include <Eigen/Core>
#include <memory>
#include <sparsecast/forecast.hpp>
#include <string>
#include <vector>

#include "forecast/machines/gpu_model.hpp"
#include "forecast/machines/machine_model.hpp"

namespace sparsecast::forecast {
// What a probe's few products tell of a machine: by how much each kernel is off there, and how that goes with where the
// time goes.

/// log(measured / forecast by data sheet) over what the time is spent on, held near zero where little was measured.
class ProbeScale {
 public:
  static constexpr int terms = 4;  ///< everything; the stream; starting; x and rows

  /// Nothing measured: 0 everywhere.
  ProbeScale() = default;
  ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
             const std::vector<double>& measured_s);
  [[nodiscard]] double log_correction(const MachineEstimate& estimate) const;

 private:
  double carries_ = 0;
  Eigen::Matrix<double, terms, 1> weights_ = Eigen::Matrix<double, terms, 1>::Zero();
};

/// The name under which these forecasts stand beside those of model_names().
inline constexpr const char* described_model_name = "machines";

/// Error bad_input where the profile's description lacks a number that forecasts need. The coefficients must outlive
/// the model.
std::unique_ptr<FittedModel> fit_described_model(const Profile& profile, const FitOptions& options,
                                                 const MachineModel& coefficients = MachineModel::current());

/// Kernels that such a profile can be asked for: those measured, else those of the description's kind and vendor.
std::vector<std::string> described_kernels(const Profile& profile,
                                           const MachineModel& coefficients = MachineModel::current());

// Of GPUs, by one of three levels: the data sheet; some products measured there ("anchors" or a probe), which move its
// costs; a table of hundreds, over which trees are grown for each kernel.

/// The profile's tier says which level. The coefficients must outlive the model.
std::unique_ptr<FittedModel> fit_gpu_model(const Profile& profile, const FitOptions& options,
                                           const GpuModel& coefficients = GpuModel::current());
}  // namespace sparsecast::forecast

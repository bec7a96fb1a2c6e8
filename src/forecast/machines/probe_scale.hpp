#pragma once
// What a probe's few products tell of a machine: by how much each kernel is off there, and how that goes with where the
// time goes.

#include <Eigen/Core>
#include <vector>

#include "forecast/machines/machine_model.hpp"

namespace sparsecast::forecast {
/// log(measured / forecast by data sheet) over what the time is spent on, held near zero where little was measured.
class ProbeScale {
 public:
  /// Everything; the stream; starting; x and rows. Where loops stand for the machine: its cores; its memory; starting.
  static constexpr int terms = 4;

  /// Nothing measured: 0 everywhere.
  ProbeScale() = default;
  ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
             const std::vector<double>& measured_s);
  [[nodiscard]] double log_correction(const MachineEstimate& estimate) const;

 private:
  bool loops_ = false;
  double carries_ = 0;
  Eigen::Matrix<double, terms, 1> weights_ = Eigen::Matrix<double, terms, 1>::Zero();
};
}  // namespace sparsecast::forecast

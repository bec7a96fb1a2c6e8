#include "forecast/machines/probe_scale.hpp"

#include <Eigen/Dense>
#include <cmath>
#include <numeric>

namespace sparsecast::forecast {
namespace {

using Row = Eigen::Matrix<double, ProbeScale::terms, 1>;

// Of the machine as a whole much can be off, of single parts less; what is left is noise of this size.
// scripts/machine-model/train.py judges probes with the same numbers.
constexpr double spread_of_all = 0.5, spread_of_parts = 0.2, noise = 0.2;
// So much of what regular matrices tell of a machine holds for others, as machines left out show. What a kernel of this
// program takes over the one that stands in for it, it takes everywhere.
constexpr double carries = 0.7;

Row row_of(const MachineEstimate& estimate) {
  const auto& parts = estimate.parts;
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  // The order of machine_term_names.
  Row row;
  row << 1, parts[1] / all - 0.5, parts[0] / all, (parts[3] + parts[4] + parts[5] + parts[6]) / all;
  return row;
}

}  // namespace

ProbeScale::ProbeScale(const std::vector<MachineEstimate>& estimates, const std::vector<double>& measured_s) {
  Eigen::Matrix<double, terms, terms> precision = Eigen::Matrix<double, terms, terms>::Zero();
  precision.diagonal().setConstant(1 / (spread_of_parts * spread_of_parts));
  precision(0, 0) = 1 / (spread_of_all * spread_of_all);
  Row right = Row::Zero();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Row row = row_of(estimates[i]);
    precision += row * row.transpose() / (noise * noise);
    right += row * std::log(measured_s[i] / estimates[i].seconds) / (noise * noise);
  }
  weights_ = precision.ldlt().solve(right);
}

double ProbeScale::log_correction(const MachineEstimate& estimate) const {
  return (estimate.stand_in ? 1 : carries) * weights_.dot(row_of(estimate));
}

}  // namespace sparsecast::forecast

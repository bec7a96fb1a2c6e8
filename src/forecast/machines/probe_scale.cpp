#include "forecast/machines/probe_scale.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <numeric>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
using Row = Eigen::Matrix<double, ProbeScale::terms, 1>;

Row row_of(const MachineEstimate& estimate) {
  const auto& parts = estimate.parts;
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  // The order of machine_terms.
  Row row;
  row << 1, parts[1] / all - constants::middle_share, parts[0] / all, (parts[3] + parts[4] + parts[5] + parts[6]) / all;
  return row;
}
}  // namespace

ProbeScale::ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
                       const std::vector<double>& measured_s)
    : carries_(numbers.carries) {
  Eigen::Matrix<double, terms, terms> precision = Eigen::Matrix<double, terms, terms>::Zero();
  precision.diagonal().setConstant(1 / (numbers.parts * numbers.parts));
  precision(0, 0) = 1 / (numbers.all * numbers.all);
  const double noise = numbers.noise * numbers.noise;
  Row right = Row::Zero();
  for (std::size_t i = 0; i < estimates.size(); ++i) {
    const Row row = row_of(estimates[i]);
    precision += row * row.transpose() / noise;
    right += row * std::log(measured_s[i] / estimates[i].seconds) / noise;
  }
  weights_ = precision.ldlt().solve(right);
}

double ProbeScale::log_correction(const MachineEstimate& estimate) const {
  // What a kernel of this program takes over the one that stands in for it, it takes everywhere. Trees were judged by
  // irregular matrices after a probe of regular ones, loops by products like those that were told.
  const double carried = carries_ + (1 - carries_) * estimate.of_loops;
  return (estimate.stand_in ? 1 : carried) * weights_.dot(row_of(estimate));
}
}  // namespace sparsecast::forecast

#include "forecast/machines/probe_scale.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
using Row = Eigen::Matrix<double, ProbeScale::terms, 1>;

// Shares of the time, in the order of machine_terms.
Row row_of(const MachineEstimate& estimate, bool loops) {
  const auto& parts = estimate.parts;
  const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
  const double memory = (parts[1] + parts[3]) / all, start = parts[0] / all;
  Row row;
  if (loops)
    row << 1 - memory - start, memory, start, 0;
  else
    row << 1, parts[1] / all - constants::middle_share, start, (parts[3] + parts[4] + parts[5] + parts[6]) / all;
  return row;
}

bool loops_alone(const MachineEstimate& estimate) { return estimate.of_loops >= 1; }
}  // namespace

ProbeScale::ProbeScale(const ProbeNumbers& numbers, const std::vector<MachineEstimate>& estimates,
                       const std::vector<double>& measured_s)
    : loops_(std::ranges::all_of(estimates, loops_alone)), carries_(loops_ ? 1 : numbers.carries) {
  const auto& [of_cores, of_memory, of_starts, of_product] = constants::loop_probe;
  Row deviations = Row::Constant(numbers.parts);
  deviations[0] = numbers.all;
  if (loops_) deviations << of_cores, of_memory, of_starts, numbers.parts;
  const double noise = loops_ ? of_product : numbers.noise;
  std::vector<double> weights(estimates.size(), 1);
  for (int round = 0; round <= (loops_ ? constants::learning_rounds : 0); ++round) {
    Eigen::Matrix<double, terms, terms> precision = deviations.array().square().inverse().matrix().asDiagonal();
    Row right = Row::Zero();
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const Row row = row_of(estimates[i], loops_);
      const double weight = weights[i] / (noise * noise);
      precision += weight * row * row.transpose();
      right += weight * row * std::log(measured_s[i] / estimates[i].seconds);
    }
    weights_ = precision.ldlt().solve(right);
    // Slowest shares of rows scatter far: such a product counts little.
    for (std::size_t i = 0; i < estimates.size(); ++i) {
      const double left = std::log(measured_s[i] / estimates[i].seconds) - weights_.dot(row_of(estimates[i], loops_));
      weights[i] = 1 / (1 + std::pow(left / (constants::far_off * noise), 2));
    }
  }
}

double ProbeScale::log_correction(const MachineEstimate& estimate) const {
  // What a kernel of this program takes over the one that stands in for it, it takes everywhere.
  return (estimate.stand_in ? 1 : carries_) * weights_.dot(row_of(estimate, loops_));
}
}  // namespace sparsecast::forecast

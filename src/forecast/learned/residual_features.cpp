#include "forecast/learned/residual_features.hpp"
#include "forecast/physical/x_misses.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
// Every feature stands with its unit: the difference after which residuals are others.
Eigen::VectorXd residual_features(const formats::Workload& w) {
  constexpr double value_bytes = 8, values_of_line = cache_line_bytes / value_bytes;
  const double one_entry = 1 / w.nonzeros;
  const auto misses_of = [&](double misses) {
    return std::log(misses * one_entry + constants::misses_floor) / constants::misses_unit;
  };
  std::vector<double> f{
      std::log(w.footprint_bytes) / constants::footprint_unit,
      std::log(w.row_mean) / constants::row_mean_unit,
      std::log(w.cols / w.rows) / constants::shape_unit,
      std::log1p(w.row_std / w.row_mean) / constants::variation_unit,
      std::log(w.longest_row / w.row_mean) / constants::longest_unit,
      std::log(w.longest_row / w.footprint_bytes) / constants::longest_share_unit,
      std::log(std::max(w.window_bytes(), value_bytes)) / constants::window_unit,
      std::log(std::max(w.span, constants::span_floor)) / constants::span_unit,
      -std::log(1 + constants::least_lone - w.neighbours / 2) / constants::lone_unit,
      w.similarity / constants::share_unit,
      std::log(w.cols) / constants::cols_unit,
      std::log(w.slots * one_entry) / constants::slots_unit,
  };
  if (w.gpu && w.exact) {
    const formats::GpuWork& g = w.gpu_work;
    for (const double misses : {w.misses[0], w.misses[1]}) f.push_back(misses_of(misses));
    f.insert(f.end(), {
                          std::log(w.format_bytes) / constants::format_bytes_unit,
                          std::log1p(g.idle * one_entry),
                          std::log(std::max(g.sectors * one_entry, constants::sectors_floor)),
                          std::log1p(g.latency_steps) / constants::latency_unit,
                          w.mispredictions / w.rows / constants::share_unit,
                          std::log1p(constants::overflow_weight * w.overflow * one_entry),
                          std::log1p(g.walked * one_entry),
                          std::log1p(w.aliased * one_entry),
                          g.scattered / w.rows / constants::share_unit,
                      });
  } else if (w.exact) {
    for (const double misses : w.misses) f.push_back(misses_of(misses));
    f.insert(f.end(),
             {
                 w.mispredictions / w.rows / constants::share_unit,
                 std::log1p(w.misprediction_bits / constants::predictor_floor) / constants::predictor_unit,
                 w.small_mispredictions / w.rows / constants::share_unit,
                 w.long_rows / w.rows / constants::long_rows_unit,
                 std::log1p(constants::calls_weight * w.calls * one_entry),
                 std::log1p(constants::overflow_weight * w.overflow * one_entry),
                 std::log1p(constants::partial_weight * (w.partial + w.empty) * one_entry) / constants::partial_unit,
                 w.in_runs * one_entry / constants::in_runs_unit,
                 std::log(std::max(w.thread_parts[0].nonzeros, constants::part_floor)) / constants::share_unit,
                 std::log(std::max(w.thread_parts[1].rows, constants::part_floor)) / constants::share_unit,
                 std::log(w.format_bytes) / constants::format_bytes_unit,
                 values_of_line * w.shared_lines / w.rows / constants::shared_lines_unit,
             });
  }
  return Eigen::Map<const Eigen::VectorXd>(f.data(), static_cast<Eigen::Index>(f.size()));
}

Eigen::MatrixXd features_of(const std::vector<formats::Workload>& workloads) {
  Eigen::MatrixXd features(static_cast<Eigen::Index>(workloads.size()), residual_features(workloads[0]).size());
  for (std::size_t i = 0; i < workloads.size(); ++i)
    features.row(static_cast<Eigen::Index>(i)) = residual_features(workloads[i]).transpose();
  return features;
}
}  // namespace sparsecast::forecast

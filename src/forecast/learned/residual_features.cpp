#include "forecast/learned/residual_features.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
Eigen::VectorXd residual_features(const formats::Workload& w) {
  const auto& unit = constants::feature_units;
  const double one_entry = 1 / w.nonzeros, share = unit[9];  // similarity is a share as well
  const auto& [no_span, no_sector, no_part, no_bits] = constants::feature_floors;
  constexpr double value_bytes = 8;
  std::vector<double> f{
      std::log(w.footprint_bytes) / unit[0],
      std::log(w.row_mean) / unit[1],
      std::log(w.cols / w.rows) / unit[2],
      std::log1p(w.row_std / w.row_mean) / unit[3],
      std::log(w.longest_row / w.row_mean) / unit[4],
      std::log(w.longest_row / w.footprint_bytes) / unit[5],
      std::log(std::max(w.window_bytes(), value_bytes)) / unit[6],
      std::log(std::max(w.span, no_span)) / unit[7],
      -std::log(1 + constants::least_lone - w.neighbours / 2) / unit[8],
      w.similarity / unit[9],
      std::log(w.cols) / unit[10],
      std::log(w.slots * one_entry) / unit[11],
  };
  if (w.gpu && w.exact) {
    const formats::GpuWork& g = w.gpu_work;
    for (const double misses : {w.misses[0], w.misses[1]}) f.push_back(std::log(misses * one_entry + 1e-3) / 2);
    f.insert(f.end(),
             {std::log(w.format_bytes) / 1.5, std::log1p(g.idle * one_entry),
              std::log(std::max(g.sectors * one_entry, no_sector)), std::log1p(g.latency_steps) / 2,
              w.mispredictions / w.rows / share, std::log1p(10 * w.overflow * one_entry),
              std::log1p(g.walked * one_entry), std::log1p(w.aliased * one_entry), g.scattered / w.rows / share});
  } else if (w.exact) {
    // Shares of the reads; a thousandth is where misses stop to matter.
    for (const double misses : w.misses) f.push_back(std::log(misses * one_entry + 1e-3) / 2);
    f.insert(f.end(),
             {w.mispredictions / w.rows / share, std::log1p(w.misprediction_bits / no_bits) / 1.5,
              w.small_mispredictions / w.rows / share, w.long_rows / w.rows / 0.5, std::log1p(20 * w.calls * one_entry),
              std::log1p(10 * w.overflow * one_entry), std::log1p(10 * (w.partial + w.empty) * one_entry) / 1.5,
              2 * w.in_runs * one_entry, std::log(std::max(w.thread_parts[0].nonzeros, no_part)) / share,
              std::log(std::max(w.thread_parts[1].rows, no_part)) / share, std::log(w.format_bytes) / 1.5,
              8 * w.shared_lines / w.rows / 0.5});
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

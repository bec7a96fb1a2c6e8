#include "forecast/learned/residual_features.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sparsecast::forecast {
Eigen::VectorXd residual_features(const Workload& w) {
  const double one_entry = 1 / w.nonzeros;
  std::vector<double> f{
      std::log(w.footprint_bytes) / 1.5,
      std::log(w.row_mean) / 1.2,
      std::log(w.cols / w.rows) / 0.7,
      std::log1p(w.row_std / w.row_mean) / 0.8,
      std::log(w.longest_row / w.row_mean) / 2.5,
      std::log(w.longest_row / w.footprint_bytes) / 3,
      std::log(std::max(w.window_bytes(), 8.0)) / 2.5,
      std::log(std::max(w.span, 1e-5)) / 1.5,
      -std::log(1.02 - w.neighbours / 2) / 1.2,
      w.similarity / 0.3,
      std::log(w.cols) / 1.5,
      std::log(w.slots * one_entry) / 1.5,
  };
  if (w.gpu && w.exact) {
    const formats::GpuWork& g = w.gpu_work;
    for (const double misses : {w.misses[0], w.misses[1]}) f.push_back(std::log(misses * one_entry + 1e-3) / 2);
    f.push_back(std::log(w.format_bytes) / 1.5);
    f.push_back(std::log1p(g.idle * one_entry));
    f.push_back(std::log(std::max(g.sectors * one_entry, 1e-2)));
    f.push_back(std::log1p(g.latency_steps) / 2);
    f.push_back(w.mispredictions / w.rows / 0.4);
    f.push_back(std::log1p(10 * w.overflow * one_entry));
    f.push_back(std::log1p(g.walked * one_entry));
    f.push_back(std::log1p(w.aliased * one_entry));
    f.push_back(g.scattered / w.rows / 0.4);
  } else if (w.exact) {
    // Shares of the reads; a thousandth is where misses stop to matter.
    for (const double misses : w.misses) f.push_back(std::log(misses * one_entry + 1e-3) / 2);
    f.push_back(w.mispredictions / w.rows / 0.4);
    f.push_back(std::log1p(w.misprediction_bits / 5e3) / 1.5);
    f.push_back(w.small_mispredictions / w.rows / 0.4);
    f.push_back(w.long_rows / w.rows / 0.5);
    f.push_back(std::log1p(20 * w.calls * one_entry));
    f.push_back(std::log1p(10 * w.overflow * one_entry));
    f.push_back(std::log1p(10 * (w.partial + w.empty) * one_entry) / 1.5);
    f.push_back(2 * w.in_runs * one_entry);
    f.push_back(std::log(std::max(w.thread_parts[0].nonzeros, 0.1)) / 0.3);
    f.push_back(std::log(std::max(w.thread_parts[1].rows, 0.1)) / 0.3);
    f.push_back(std::log(w.format_bytes) / 1.5);
    f.push_back(8 * w.shared_lines / w.rows / 0.5);
  }
  return Eigen::Map<const Eigen::VectorXd>(f.data(), static_cast<Eigen::Index>(f.size()));
}
}  // namespace sparsecast::forecast

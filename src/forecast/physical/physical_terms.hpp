#pragma once
// The physical terms of a product's time: launch; streamed bytes; row ends; gathers of x that hit and that miss a
// cache; the longest row, which one unit of the device works on alone. A formula with positive coefficients; their
// priors say what is physically plausible, the device's benchmark records decide (log_least_squares.hpp).
//
//   seconds = launch + (throughput³ + longest³)^(1/3),   throughput = Σ of the other terms
//
// The cube is a smooth maximum: the longest row runs beside everything else and shows once it is longer. The terms of
// counted work on a GPU are in gpu_terms.hpp.

#include <optional>
#include <sparsecast/forecast.hpp>

#include "forecast/physical/gather_curve.hpp"
#include "forecast/physical/gpu_terms.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/record_set.hpp"

namespace sparsecast::forecast {
class PhysicalTerms {
 public:
  /// From a profile's properties and curves. `longest_row`: with the term of the longest row.
  PhysicalTerms(const Profile& profile, const RecordSet& records, bool exact, bool longest_row);

  [[nodiscard]] const LogPrior& prior() const { return prior_; }
  /// From now on the prior is these logarithms of costs, a kernel's of the same loops, and narrower (alike_deviation).
  void expect_costs(const Eigen::VectorXd& logs);
  [[nodiscard]] double log_seconds(const Workload& workload, const Eigen::VectorXd& p) const;
  /// Where the seconds of that formula go; they add up to exp(log_seconds).
  [[nodiscard]] std::vector<ForecastPart> parts(const Workload& workload, const Eigen::VectorXd& p) const;
  /// The formula over many observations; `workloads` must outlive it.
  [[nodiscard]] LogFormula formula(std::span<const Workload> workloads) const;
  /// The measured bandwidths (on a GPU, also of gathers) that the terms rest on; empty where there are none.
  [[nodiscard]] std::vector<double> curve_numbers() const;

 private:
  // Of the reads of x that no prefetcher foresees, what the curve of gathers says beyond a miss of the second level.
  [[nodiscard]] double gather_seconds(const Workload& workload) const;
  [[nodiscard]] TermSeconds amounts(const Workload& workload, const Eigen::VectorXd& costs) const;

  bool exact_, longest_row_;
  int threads_;
  LogPrior prior_;
  std::optional<GpuTerms> gpu_;  // counted, and not the host: then nothing below is in use
  double launch_s_ = 0;          // what starting the threads takes as a rule; 0 for one or where not known
  double last_cache_ = 1;        // bytes
  Curve bandwidth_;              // bytes/s over footprint; empty where the profile has none
  ScatteredSeconds scattered_s_{};
};
}  // namespace sparsecast::forecast

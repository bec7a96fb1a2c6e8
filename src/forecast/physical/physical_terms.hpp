#pragma once
// The physical terms of a product's time: launch; streamed bytes; row ends; gathers of x that hit and that miss a
// cache; the longest row, which one unit of the device works on alone. A formula with positive coefficients; their
// priors say what is physically plausible, the device's benchmark records decide (log_least_squares.hpp).
//
//   seconds = launch + (throughput³ + longest³)^(1/3),   throughput = Σ of the other terms
//
// The cube is a smooth maximum: the longest row runs beside everything else and shows once it is longer. The terms of
// counted work on a GPU stand below.

#include <algorithm>
#include <cmath>
#include <limits>

#include "forecast/physical/log_least_squares.hpp"
#include "forecast/physical/workload.hpp"

namespace sparsecast::forecast {
// The physical terms of a product whose work on a GPU was counted (formats/gpu/gpu_counts.hpp): launches and groups,
// the sectors that it streams at the bandwidth measured for them, reads of x at the measured rate of gathers from as
// far away, steps of warps, waiting for memory where too few warps run at once, and what is left of groups (sums over
// lanes, tiles, carries).
//
// The costs of the priors come from the device's description alone, and its curves where it was measured: they forecast
// before there is any record. What streams and what is computed overlap, how far is a parameter.

/// Seconds of every physical term of one product, and how they add up (physical_terms.hpp).
struct TermSeconds {
  double launch = 0, stream = 0, compute = 0, rows = 0, vectors = 0, gather = 0, row_ends = 0, shared = 0, longest = 0;
  double stream_bytes = 0, gather_bytes = 0;

  [[nodiscard]] double throughput() const { return stream + compute + rows + vectors + gather + row_ends + shared; }
  [[nodiscard]] double busy() const {
    const double t = throughput();
    return longest > 0 ? std::cbrt(t * t * t + longest * longest * longest) : t;
  }
  [[nodiscard]] double log_seconds() const {
    return std::log(std::max(launch + busy(), std::numeric_limits<double>::min()));
  }
};

// What a read of x at random costs beyond each size of memory, from the measured curve of gathers: reads at random over
// S bytes take G(S) = Σ g(C) · (1 − C/S) beyond those that hit, C the capacities below S; solved for g from the
// smallest on.

using ScatteredSeconds = std::array<double, formats::Workload::scatter_levels>;

/// Seconds per read beyond Workload::scatter_capacity(level), of all threads together; 0 where the second-level cache
/// and some times its size hold it, which have a price of their own. Without a curve, a line of 64 bytes at the
/// device's bandwidth beyond its last cache.
ScatteredSeconds scattered_seconds(const Profile& profile, int threads);

/// The share of the mispredictions that remains when a product is repeated: the predictor's capacity holds a small
/// matrix after some products, and nothing of one with far more to remember than it can hold.
double forgotten(double amount, double memory);

/// Measured rates without what starting each reading cost, which is a term of its own.
Curve without_start(Curve curve, double start_s);

class GpuTerms {
 public:
  explicit GpuTerms(const Profile& profile);

  [[nodiscard]] LogPrior prior() const;
  /// `costs`: of the parameters, not logarithms.
  [[nodiscard]] TermSeconds seconds(const Workload& workload, const Eigen::VectorXd& costs, bool longest_row) const;
  /// The measured numbers that the terms rest on beside the priors.
  [[nodiscard]] std::vector<double> curves() const;

 private:
  [[nodiscard]] double gather_seconds(const Workload& workload) const;

  bool processor_ = false;
  double lane_s_ = 0;     // one instruction of one thread, on all units together
  double launch_s_ = 0;   // a launch
  double latency_s_ = 0;  // a load from memory
  Curve bandwidth_;       // bytes/s over bytes
  std::array<double, formats::GpuWork::gather_levels> gather_s_{};  // more for a read beyond a capacity than within
};

class PhysicalTerms {
 public:
  /// From a profile's properties and curves. `longest_row`: with the term of the longest row.
  PhysicalTerms(const Profile& profile, const FitOptions& options, bool exact, bool longest_row);

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

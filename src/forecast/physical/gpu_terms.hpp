#pragma once
// The physical terms of a product whose work on a GPU was counted (formats/gpu/gpu_counts.hpp): launches and groups,
// the sectors that it streams at the bandwidth measured for them, reads of x at the measured rate of gathers from as
// far away, steps of warps, waiting for memory where too few warps run at once, and what is left of groups (sums over
// lanes, tiles, carries).
//
// The costs of the priors come from the device's description alone, and its curves where it was measured: they forecast
// before there is any record. What streams and what is computed overlap, how far is a parameter.

#include <array>
#include <sparsecast/profile.hpp>
#include <vector>

#include "forecast/physical/log_least_squares.hpp"
#include "forecast/physical/term_seconds.hpp"
#include "formats/workload.hpp"

namespace sparsecast::forecast {
/// Measured rates without what starting each reading cost, which is a term of its own.
Curve without_start(Curve curve, double start_s);

class GpuTerms {
 public:
  explicit GpuTerms(const Profile& profile);

  [[nodiscard]] LogPrior prior() const;
  /// `costs`: of the parameters, not logarithms.
  [[nodiscard]] TermSeconds seconds(const formats::Workload& workload, const Eigen::VectorXd& costs,
                                    bool longest_row) const;
  /// The measured numbers that the terms rest on beside the priors.
  [[nodiscard]] std::vector<double> curves() const;

 private:
  [[nodiscard]] double gather_seconds(const formats::Workload& workload) const;

  bool processor_ = false;
  double lane_s_ = 0;     // one instruction of one thread, on all units together
  double launch_s_ = 0;   // a launch
  double latency_s_ = 0;  // a load from memory
  Curve bandwidth_;       // bytes/s over bytes
  std::array<double, formats::GpuWork::gather_levels> gather_s_{};  // more for a read beyond a capacity than within
};
}  // namespace sparsecast::forecast

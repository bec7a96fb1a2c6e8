#pragma once
// The truth about a plan: it and every single kernel, timed in turns.

#include <sparsecast/plan.hpp>

#include "planning/run/turns.hpp"

namespace sparsecast::planning {
struct MeasuredSingle {
  std::string kernel;
  double seconds = 0;  ///< median of the rounds; 0 where it was not measured
  std::string status = "ok";
};

struct MeasuredGain {
  double plan_s = 0;
  double best_single_s = 0;             ///< of the kernel that was predicted to be the best
  std::vector<MeasuredSingle> singles;  ///< in the order of Strategy::singles
  std::string fastest;                  ///< the truly fastest single kernel
  double fastest_s = 0;
  double gain = 0;           ///< share of the best single's time that the plan saves: the median over rounds
  double low = 0, high = 0;  ///< 5 % and 95 % quantiles over rounds
  double conversion_s = 0;   ///< of the plan
  int rounds = 0;
  double largest_error = 0;  ///< of the plan's y against the single kernel's, relative to the largest entry
};

/// A plan that is one kernel is measured once: it is the same program. Error unavailable or failed as open_device().
[[nodiscard]] MeasuredGain measure_gain(const Matrix& matrix, const Plan& plan, const MeasureOptions& options = {});
}  // namespace sparsecast::planning

#pragma once
// A split at work: every part on its device, all at once, each from a thread of its own, x and y on the host.

#include <sparsecast/plan.hpp>

#include "plan/devices/row_split.hpp"
#include "plan/run/turns.hpp"

namespace sparsecast::planning {

struct SplitRun {
  double seconds = 0;  ///< of a product, median of the rounds
  double alone_s = 0;  ///< the whole on the device that is predicted to be the fastest by itself
  double gain = 0, low = 0, high = 0;
  std::vector<double> part_s;  ///< of every part while all are at work, medians
  double largest_error = 0;    ///< of y, against the host's default kernel
  int rounds = 0;
};

/// All devices must be here. `threads`: of the host's part.
[[nodiscard]] SplitRun run_split(const Matrix& matrix, const RowSplit& split, Precision precision, int threads,
                                 const MeasureOptions& options = {});

}  // namespace sparsecast::planning

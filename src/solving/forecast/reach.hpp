#pragma once
// From how far away the steps of an iteration get what they read: the bytes that went by since a vector, the matrix or
// the preconditioner was used last, in an iteration that repeats.

#include <vector>

#include "solving/step.hpp"

namespace sparsecast::solving {
struct ReachSizes {
  double vector = 0;  ///< bytes of one vector
  double matrix = 0;  ///< of the format, and of the preconditioner
  double preconditioner = 0;
};

/// Of one step, in bytes: of each of its reads and writes, and of the matrix or preconditioner that it goes through.
struct StepReach {
  std::vector<double> reads, writes;
  double data = 0;
};

[[nodiscard]] std::vector<StepReach> reaches_of(const std::vector<Step>& steps, const ReachSizes& sizes);
}  // namespace sparsecast::solving

#pragma once
// A step of a calibration's plan: one benchmark matrix, the kernels that are measured on it, and in which rounds.

#include <sparsecast/matrix_spec.hpp>
#include <string>
#include <vector>

namespace sparsecast::calibration {
/// Which rounds a step takes part in (rounds.hpp).
enum class Again {
  where_disturbed,  ///< those of every step, and further ones where it was disturbed
  every_round,      ///< those of every step: a large matrix takes long, and its time moves with what others do in the
                    ///< memory for minutes, which its spread does not tell
  never             ///< the first alone: the papers' grids, whose lines many matrices share
};

struct PlanStep {
  MatrixSpec spec;
  std::vector<std::string> kernels;
  double work = 0;  ///< non-zeros × kernels, for the estimate of the time left
  Again again = Again::where_disturbed;
};
}  // namespace sparsecast::calibration

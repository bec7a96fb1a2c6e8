#pragma once
// Screening: before any format is made of the whole matrix, the kernels that could win are made of a sample of its rows
// and multiply in turns. A conversion takes as long as ten products; of an eighth of the rows, as one.

#include "planning/trials/contenders.hpp"

namespace sparsecast::planning {
/// Stretches of rows at even distances, an eighth of all where they are many, with all columns. A whole number of
/// blocks of up to eight rows each, so that blocks stay blocks. Empty where the matrix has too few rows.
[[nodiscard]] Matrix sample_of_rows(const Matrix& matrix);

struct Screening {
  std::vector<TriedKernel> seen;  ///< seconds: scaled to the whole matrix
  double spent_s = 0;
  bool interrupted = false;
};
/// Those of one kernel that may be the fastest, on the host, for y = A·x. Their forecasts become what was seen.
[[nodiscard]] Screening screen(const Matrix& matrix, std::vector<Contender>& contenders);
}  // namespace sparsecast::planning

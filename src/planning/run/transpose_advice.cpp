#include "planning/run/transpose_advice.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/transpose.hpp>

#include "base/clock.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast::planning {
TransposeAdvice advise_transpose(const Planner& planner, const Matrix& matrix, const Strategy& transposed,
                                 const StrategyOptions& options) {
  TransposeAdvice advice;
  advice.symmetric = matrix::value_symmetry(matrix, transposed.threads).symmetric == 1;
  if (advice.symmetric) return advice;
  const double start = base::now_s();
  const Matrix of_its_own = transpose(matrix);
  advice.transpose_s = base::now_s() - start;
  StrategyOptions plain = options;
  plain.transposed = false;
  const Strategy stored = planner.strategy(of_its_own, plain);
  advice.kernel = stored.blocks.size() == 1 ? stored.blocks[0].kernel : fmt::format("{} blocks", stored.blocks.size());
  advice.seconds = stored.predicted_s;
  advice.conversion_s = stored.conversion_s;
  const double saved = transposed.predicted_s - stored.predicted_s;
  const double paid = advice.transpose_s + stored.conversion_s - transposed.conversion_s;
  if (saved > 0) advice.pays_from = std::max<std::int64_t>(1, std::llround(std::ceil(paid / saved)));
  return advice;
}
}  // namespace sparsecast::planning

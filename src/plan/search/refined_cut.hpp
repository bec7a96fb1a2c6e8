#pragma once
// A cut whose blocks are forecast as `sparsecast predict` would forecast them: by the full models, each from the
// Structure of its own rows, as if the whole matrix were like it, so that caches are as full as they will be. It sees
// what sums over strips do not: diagonals, blocks, reuse of x. It costs what analyze() costs,
// once more, so it is for a cut that may win.

#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <vector>

#include "forecast/model_set.hpp"
#include "plan/search/block_times.hpp"

namespace sparsecast::planning {

/// Rows like these, so many times as many; what is counted is multiplied, shares stay.
[[nodiscard]] Structure repeated(const Structure& rows, double times);

/// One block in its best kernel.
struct RefinedBlock {
  std::int64_t first_strip = 1, last_strip = 1;
  std::string kernel;
  double seconds = 0;  ///< without starting the product
  double conversion_s = 0;
  double deviation = 0;  ///< standard deviation of the error of log(seconds)
};

struct RefinedCut {
  std::vector<RefinedBlock> blocks;
  double seconds = 0, conversion_s = 0;
  double deviation_s = 0;  ///< standard deviation of the error of `seconds`, blocks erring independently
};

/// What is asked: of which matrix, by which models, and what counts. `kernels`: those that may take a block. What it
/// refers to must outlive it.
struct CutQuestion {
  const Matrix& matrix;
  std::int64_t strip_rows, strips;
  const forecast::ModelSet& models;
  std::vector<std::string> kernels;
  Objective objective;
  int threads;
  Precision precision;
  double launch_s;  ///< of a product however small
};

/// `borders`: the last strip of every block but the last, ascending. No blocks where one has no forecast.
[[nodiscard]] RefinedCut refine_cut(const CutQuestion& asked, const std::vector<std::int64_t>& borders);

}  // namespace sparsecast::planning

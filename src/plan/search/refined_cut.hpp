#pragma once
// A cut whose blocks are forecast as `sparsecast predict` would forecast them: by the full models, each from the
// Structure of its own rows, as if the whole matrix were like it, so that caches are as full as they will be. It sees
// what sums over strips do not: diagonals, blocks, reuse of x. It costs what analyze() costs, once per row of the
// matrix and cut, so it is for the few cuts that may win.

#include <map>
#include <sparsecast/forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <utility>
#include <vector>

#include "forecast/model_set.hpp"
#include "plan/search/block_times.hpp"

namespace sparsecast::planning {

/// Rows like these, so many times as many; what is counted is multiplied, shares stay.
[[nodiscard]] Structure repeated(const Structure& rows, double times);

/// One block in its best kernel.
struct RefinedBlock {
  CutBlock block;  ///< `kernel` is not set
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

/// Thread safety: for one thread.
class RefinedCuts {
 public:
  /// Everything referred to must outlive this object. `kernels`: those that may take a block.
  RefinedCuts(const Matrix& matrix, std::int64_t strip_rows, const forecast::ModelSet& models,
              std::vector<std::string> kernels, const Structure& whole, Objective objective, int threads,
              Precision precision, double launch_s);

  /// `borders`: the last strip of every block but the last, ascending. Nothing where a block has no forecast.
  [[nodiscard]] RefinedCut cut(const std::vector<std::int64_t>& borders, std::int64_t strips);

 private:
  [[nodiscard]] const RefinedBlock& block(std::int64_t first, std::int64_t last);
  [[nodiscard]] RefinedBlock forecast(std::int64_t first, std::int64_t last) const;

  const Matrix& matrix_;
  std::int64_t strip_rows_;
  const forecast::ModelSet& models_;
  std::vector<std::string> kernels_;
  const Structure& whole_;
  Objective objective_;
  int threads_;
  Precision precision_;
  double launch_s_;
  std::map<std::pair<std::int64_t, std::int64_t>, RefinedBlock> known_;
};

}  // namespace sparsecast::planning

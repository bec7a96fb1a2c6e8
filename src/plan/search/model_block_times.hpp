#pragma once
// E[i, j] and F[i, j] by a model that is asked for every block, as Guo, Wang & Chen (2014, section 4) ask theirs: a
// block is a matrix of its own, known by its row lengths. It costs a forecast per block and kernel, so it is for trying
// the papers' models; the planner's own search adds strips up (block_times.hpp).

#include <vector>

#include "forecast/model_set.hpp"
#include "plan/search/block_times.hpp"

namespace sparsecast::planning {

class ModelBlockTimes final : public BlockPrices {
 public:
  /// `whole`: the models' forecasts for the whole matrix. Kernels that the models do not know, or that `whole_only`
  /// names, take no block. `quick` names the kernels; `models`, `quick` and `strips` must outlive this object.
  ModelBlockTimes(const forecast::ModelSet& models, const QuickForecast& quick, const StripSums& strips,
                  const std::vector<Forecast>& whole, const std::vector<bool>& whole_only, Objective objective);

  [[nodiscard]] std::int64_t strips() const override { return strips_.strips(); }
  void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) override;
  [[nodiscard]] double seconds(int kernel, std::int64_t first, std::int64_t last) const override;
  [[nodiscard]] double conversion_seconds(int kernel, std::int64_t first, std::int64_t last) const override;
  /// The model's own interval over the whole matrix; `single` errs independently.
  [[nodiscard]] double doubt(int kernel, int single) const override;

 private:
  [[nodiscard]] bool whole(std::int64_t first, std::int64_t last) const { return first == 1 && last == strips(); }
  [[nodiscard]] std::vector<Forecast> forecasts(std::int64_t first, std::int64_t last) const;
  [[nodiscard]] const Forecast& forecast_of(int kernel, const std::vector<Forecast>& forecasts) const;
  [[nodiscard]] double cost(const Forecast& forecast) const;

  const forecast::ModelSet& models_;
  const QuickForecast& quick_;
  const StripSums& strips_;
  std::vector<Forecast> whole_;
  std::vector<std::string> kernels_;  // that may take a block
  Objective objective_;
};

/// What the models of the papers read of some rows: sizes and row lengths.
class GrowingStructure {
 public:
  explicit GrowingStructure(std::int64_t cols) { structure_.cols = cols; }
  void add(const StripContent& strip, std::span<const RowLengthCount> lengths);
  [[nodiscard]] const Structure& structure() const { return structure_; }

 private:
  Structure structure_;
  double slots_8_ = 0, slots_32_ = 0;
};

}  // namespace sparsecast::planning

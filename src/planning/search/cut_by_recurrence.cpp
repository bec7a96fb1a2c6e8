// The cut of the papers' models: a model is asked for every block of strips, a block being a matrix of its own that is
// known by its row lengths, and the dynamic programme finds the best of all cuts (Guo, Wang & Chen 2014, section 4).

#include <algorithm>

#include "matrix/structure/structure_parts.hpp"
#include "planning/search/optimal_cut.hpp"
#include "planning/search/strategy_search.hpp"

namespace sparsecast {
namespace planning {
namespace {
Structure strip_of(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  Structure strip;
  strip.rows = last - first;
  strip.cols = matrix.cols();
  matrix.visit_pattern([&](const auto& csr) {
    strip.nonzeros = csr.row_pointers[last] - csr.row_pointers[first];
    matrix::analyze_rows(csr.row_pointers.subspan(at(first), at(last - first) + 1), strip, 1);
  });
  return strip;
}

// What the models of the papers read of some rows: sizes and row lengths.
void add_rows(Structure& block, const Structure& strip) {
  block.cols = strip.cols;
  block.rows += strip.rows;
  block.nonzeros += strip.nonzeros;
  block.row_max = std::max(block.row_max, strip.row_max);
  block.row_mean = block.rows > 0 ? number(block.nonzeros) / number(block.rows) : 0;
  std::vector<RowLengthCount> lengths;
  const auto shorter = [](const RowLengthCount& a, const RowLengthCount& b) { return a.length < b.length; };
  std::ranges::merge(block.row_histogram, strip.row_histogram, std::back_inserter(lengths), shorter);
  block.row_histogram.clear();
  for (const RowLengthCount& entry : lengths) {
    std::vector<RowLengthCount>& merged = block.row_histogram;
    if (merged.empty() || merged.back().length != entry.length) merged.push_back({entry.length, 0});
    merged.back().rows += entry.rows;
  }
  // The shorter of two lengths that are equally common, as everywhere (structure.hpp).
  const auto mode = std::ranges::max_element(block.row_histogram, {}, &RowLengthCount::rows);
  if (mode != block.row_histogram.end()) block.row_mode = mode->length;
  if (block.slices.empty()) return void(block.slices = strip.slices);
  for (std::size_t s = 0; s < block.slices.size(); ++s) block.slices[s].slots += strip.slices[s].slots;
}

// E[i, j] and F[i, j] by a model that is asked for every block.
class ModelTimes final : public BlockTimes {
 public:
  ModelTimes(const forecast::ModelSet& models, std::vector<std::string> kernels, std::vector<Structure> strips,
             const Cost& cost)
      : models_(models), kernels_(std::move(kernels)), strips_(std::move(strips)), cost_(cost) {}

  [[nodiscard]] std::int64_t strips() const override { return static_cast<std::int64_t>(strips_.size()); }

  void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) override {
    Structure block;
    for (std::int64_t i = j; i >= 1; --i) {
      add_rows(block, strips_[at(i - 1)]);
      const Forecast best = best_of(block);
      seconds[at(i - 1)] = cost_(best);
      kernels[at(i - 1)] = static_cast<std::int32_t>(std::ranges::find(kernels_, best.kernel) - kernels_.begin());
    }
  }

  [[nodiscard]] PricedBlock priced(std::int64_t first, std::int64_t last) const {
    PricedBlock block{.first_strip = first, .last_strip = last};
    for (std::int64_t strip = last; strip >= first; --strip) add_rows(block.rows, strips_[at(strip - 1)]);
    block.forecast = best_of(block.rows);
    block.seconds = block.forecast.seconds;
    block.conversion_s = block.forecast.preprocess_s.value_or(0);
    return block;
  }

 private:
  [[nodiscard]] Forecast best_of(const Structure& block) const {
    const std::vector<Forecast> all = models_.best(block, kernels_);
    const auto best = std::ranges::min_element(all, {}, [this](const Forecast& one) { return rank(one, cost_); });
    Forecast unknown;
    unknown.seconds = never;
    return best == all.end() ? unknown : *best;
  }

  const forecast::ModelSet& models_;
  std::vector<std::string> kernels_;
  std::vector<Structure> strips_;
  const Cost& cost_;
};
}  // namespace
}  // namespace planning

using planning::PricedBlock;

std::vector<PricedBlock> Planner::Parts::Search::cut_by_recurrence() const {
  std::vector<Structure> strips;
  for (std::int64_t first = 0; first < matrix.rows(); first += strategy.strip_rows)
    strips.push_back(planning::strip_of(matrix, first, std::min(matrix.rows(), first + strategy.strip_rows)));
  planning::ModelTimes times(parts.models, kernels_of_blocks(), std::move(strips), cost);
  const planning::CutSearch search =
      wanted.max_blocks > 0 ? planning::optimal_cut(times, wanted.max_blocks) : planning::optimal_cut(times);
  std::vector<PricedBlock> blocks;
  for (const planning::CutBlock& block : search.several.blocks) blocks.push_back(times.priced(block.first, block.last));
  return blocks;
}
}  // namespace sparsecast

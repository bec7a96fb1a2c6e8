// The cut of the product's own model, which is asked only where the rows change character: every stretch of such a cut
// is forecast from the Structure of its own rows, as if the whole matrix were like it, so that caches are as full as
// they will be. It costs what analyze() costs, once more.

#include "planning/rows/row_range.hpp"
#include "planning/search/change_of_rows.hpp"
#include "planning/search/doubt.hpp"
#include "planning/search/repeated_rows.hpp"
#include "planning/search/strategy_search.hpp"

namespace sparsecast {
using planning::number;
using planning::PricedBlock;

namespace {
constexpr int most_stretches = 4;
// From how many products on what looking for a cut costs (some ten of a large matrix) may come back.
constexpr std::int64_t fewest_products = 100;
}  // namespace

// Strips first … last in the kernel that is best for them.
PricedBlock Planner::Parts::Search::priced_stretch(std::int64_t first, std::int64_t last) const {
  const std::int64_t strip = strategy.strip_rows;
  const Structure alone =
      parts.structure_of_block(planning::row_range(matrix, (first - 1) * strip, std::min(last * strip, matrix.rows())));
  const double times = number(matrix.nonzeros()) / std::max(1.0, number(alone.nonzeros)), of_product = launch_s();
  PricedBlock best{.first_strip = first, .last_strip = last, .seconds = planning::never};
  best.rows = planning::repeated(alone, times);
  for (const Forecast& forecast : parts.models.best(best.rows, kernels_of_blocks())) {
    const double launch = std::min(of_product, forecast.seconds / 2);
    const double seconds = (forecast.seconds - launch) / times, conversion = forecast.preprocess_s.value_or(0) / times;
    if (cost(seconds, conversion) >= cost(best.seconds, best.conversion_s)) continue;
    best.seconds = seconds;
    best.conversion_s = conversion;
    best.forecast = forecast;
  }
  for (const Forecast& single : parts.models.best(best.rows, {strategy.best_single.kernel})) {
    best.single_s = std::max(0.0, single.seconds - of_product) / times;
    best.single_deviation = planning::deviation_of(single);
  }
  // The host's threads go through all blocks at once, a GPU has a launch for each.
  if (!parts.on_host() || first == 1) best.seconds += of_product;
  return best;
}

std::vector<PricedBlock> Planner::Parts::Search::cut_where_rows_change() const {
  if (wanted.iterations > 0 && wanted.iterations < fewest_products && !wanted.always_cut) return {};
  const std::vector<planning::RowSums> strips =
      planning::sums_of_strips(matrix, strategy.strip_rows, parts.options.threads);
  const int most = wanted.max_blocks > 0 ? std::min(wanted.max_blocks, most_stretches) : most_stretches;
  const std::vector<std::int64_t> borders = planning::changes_of_rows(strips, most);
  if (borders.empty() || (!wanted.always_cut && !planning::some_stretch_is_regular(strips, borders))) return {};
  std::vector<PricedBlock> blocks;
  for (std::size_t b = 0; b <= borders.size(); ++b) {
    const std::int64_t first = b == 0 ? 1 : borders[b - 1] + 1;
    blocks.push_back(priced_stretch(first, b < borders.size() ? borders[b] : strategy.strips));
    if (!(blocks.back().seconds < planning::never)) return {};
  }
  return blocks;
}
}  // namespace sparsecast

#include "planning/trials/contenders.hpp"

#include <algorithm>

#include "planning/search/block_names.hpp"
#include "planning/search/cost.hpp"

namespace sparsecast::planning {
namespace {
Contender contender(const Strategy& planned, std::vector<PlannedBlock> blocks, double seconds, double low_s,
                    double high_s) {
  Contender one;
  one.strategy = planned;
  one.strategy.blocks = std::move(blocks);
  one.strategy.cut = one.strategy.blocks.size() > 1;
  one.strategy.predicted_s = seconds;
  one.strategy.conversion_s = 0;
  for (const PlannedBlock& block : one.strategy.blocks) one.strategy.conversion_s += block.conversion_s;
  one.forecast = {name_of(one.strategy.blocks), seconds, low_s, high_s, one.strategy.conversion_s};
  return one;
}

Contender cut_of(const Strategy& planned, const std::vector<PlannedBlock>& blocks) {
  double seconds = 0;
  for (const PlannedBlock& block : blocks) seconds += block.seconds;
  // The gain's interval is of the whole cost, which where the conversion counts is not the product's alone.
  const double half =
      std::clamp((planned.gain_high - planned.gain_low) / 2 * planned.best_single.seconds / seconds, 0.05, 0.9);
  return contender(planned, blocks, seconds, seconds * (1 - half), seconds / (1 - half));
}

Contender single_of(const Strategy& planned, const SingleKernel& single) {
  PlannedBlock block{.last_strip = planned.strips, .kernel = single.kernel, .seconds = single.seconds};
  block.last_row = planned.blocks.empty() ? -1 : planned.blocks.back().last_row;
  block.conversion_s = single.conversion_s;
  Contender one = contender(planned, {block}, single.seconds, single.low_s, single.high_s);
  one.bytes = single.bytes;
  return one;
}
}  // namespace

void sort_by_cost(std::vector<Contender>& all, std::int64_t iterations) {
  const Cost cost{iterations};
  std::ranges::stable_sort(all, {},
                           [&](const Contender& one) { return cost(one.forecast.seconds, one.forecast.conversion_s); });
}

std::vector<Contender> contenders(const Strategy& planned) {
  std::vector<Contender> all;
  for (const SingleKernel& single : planned.singles) all.push_back(single_of(planned, single));
  if (!planned.best_cut.empty()) all.push_back(cut_of(planned, planned.best_cut));
  sort_by_cost(all, planned.iterations);
  const std::string first = name_of(planned.blocks);
  const auto found = std::ranges::find(all, first, [](const Contender& one) { return one.forecast.name; });
  if (found != all.end()) {
    std::rotate(all.begin(), found, found + 1);
  } else {
    const SingleKernel& like = planned.best_single;
    const double ratio = like.seconds > 0 ? planned.predicted_s / like.seconds : 1;
    all.insert(all.begin(),
               contender(planned, planned.blocks, planned.predicted_s, like.low_s * ratio, like.high_s * ratio));
  }
  return all;
}
}  // namespace sparsecast::planning

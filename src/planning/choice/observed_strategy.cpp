// What observed products make of a strategy: a plan without any model where trials came to their end, else the single
// kernels and the cut that were seen, at the times that they took.

#include <fmt/format.h>
#include <algorithm>

#include "formats/kernels.hpp"
#include "planning/choice/observed_products.hpp"
#include "planning/search/block_names.hpp"
#include "planning/search/cost.hpp"
#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
using calibration::Observation;

std::optional<Strategy> ObservedProducts::known_plan(const StrategyOptions& wanted, bool tells_trials) {
  if (!settled() || wanted.always_cut || wanted.reorder == Reorder::always || !wanted.kernels.empty())
    return std::nullopt;
  Strategy strategy;
  strategy.strips = 1;
  strategy.strip_rows = matrix_->rows();
  strategy.device = like_.device;
  strategy.precision = like_.precision;
  strategy.threads = like_.threads;
  strategy.vectors = like_.vectors;
  strategy.transposed = like_.transposed;
  strategy.iterations = wanted.iterations;
  const Cost cost{wanted.iterations};
  double otherwise = never;  // a cut, or csr, which trials for more products may have left out
  for (const Observation& one : observed_) {
    const double conversion_s = one.conversion_s.value_or(0);
    if (one.kernel.find('+') != std::string::npos)
      otherwise = std::min(otherwise, cost(one.seconds, conversion_s));
    else
      strategy.singles.push_back({.kernel = one.kernel, .seconds = one.seconds, .conversion_s = conversion_s});
  }
  if (strategy.singles.empty()) return std::nullopt;
  const std::string csr(formats::default_kernel().name);
  const auto forecast = std::ranges::find_if(observed_, [](const Observation& one) { return one.csr_s.has_value(); });
  if (forecast != observed_.end() && find(csr) == nullptr) {
    strategy.singles.push_back({.kernel = csr, .seconds = *forecast->csr_s});
    if (wanted.iterations > 0) otherwise = std::min(otherwise, cost(*forecast->csr_s, 0));
  }
  strategy.best_single = strategy.singles.front();
  apply(strategy, tells_trials);
  const SingleKernel& best = strategy.best_single;
  if (cost(best) > otherwise) return std::nullopt;
  return strategy;
}

void ObservedProducts::apply(Strategy& strategy, bool tells_trials) {
  if (!like_.features.empty())
    for (const SingleKernel& one : strategy.singles) forecast_[one.kernel] = one.seconds;
  if (empty() && neighbours_.empty()) return;
  for (SingleKernel& one : strategy.singles) {
    const Told now = told(one.kernel, {one.seconds, one.low_s, one.high_s});
    one.seconds = now.seconds;
    one.low_s = now.low_s;
    one.high_s = now.high_s;
    const Observation* seen = find(one.kernel);
    if (seen == nullptr) continue;
    one.measured_s = seen->seconds;
    one.status = "ok";
    if (seen->conversion_s) one.conversion_s = *seen->conversion_s;
  }
  const std::optional<double> left = settled();
  // Once everything that could win was tried, what was not is no candidate.
  std::ranges::stable_sort(strategy.singles, {}, [&](const SingleKernel& one) {
    return left && !one.measured_s ? never : Cost{strategy.iterations}(one);
  });
  const double planned_s = strategy.best_single.seconds;
  strategy.best_single = strategy.singles.front();
  if (tells_trials && left)
    strategy.trials = TrialReport{.left_to_win = *left, .reason = fmt::format("measured here {}", when())};
  carry_out(strategy, planned_s);
}

// The plan of the single kernel that is the best now, or of the cut where that was measured to be better; `planned_s`:
// of the best single kernel before.
void ObservedProducts::carry_out(Strategy& strategy, double planned_s) const {
  const Observation* cut = strategy.best_cut.empty() ? nullptr : find(name_of(strategy.best_cut));
  const SingleKernel& best = strategy.best_single;
  const Cost cost{strategy.iterations};
  if (cut != nullptr && cost(cut->seconds, cut->conversion_s.value_or(0)) < cost(best)) {
    strategy.cut = true;
    strategy.blocks = strategy.best_cut;
    strategy.predicted_s = cut->seconds;
    strategy.conversion_s = cut->conversion_s.value_or(0);
    strategy.reason = fmt::format("the cut was measured here {}", when());
    return find_break_even(strategy);
  }
  if (!best.measured_s && (strategy.cut || strategy.blocks.size() != 1)) return;
  if (!best.measured_s && strategy.blocks.front().kernel == best.kernel) {  // which may be reordered
    strategy.blocks.front().seconds *= best.seconds / planned_s;
    strategy.predicted_s *= best.seconds / planned_s;
    return find_break_even(strategy);
  }
  PlannedBlock block{.last_strip = strategy.strips, .kernel = best.kernel, .seconds = best.seconds};
  block.last_row = matrix_->rows() - 1;
  block.conversion_s = best.conversion_s;
  strategy.cut = false;
  strategy.blocks = {block};
  strategy.predicted_s = best.seconds;
  strategy.conversion_s = best.conversion_s;
  if (best.measured_s) strategy.reason = fmt::format("measured here {}", when());
  find_break_even(strategy);
}
}  // namespace sparsecast::planning

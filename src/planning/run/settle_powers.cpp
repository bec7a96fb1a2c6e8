#include "planning/run/settle_powers.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast_constants.hpp>

#include "base/machine/memory.hpp"
#include "base/text.hpp"
#include "formats/parts/sizes.hpp"
#include "planning/run/measured_powers.hpp"

namespace sparsecast::planning {
namespace {
constexpr std::int64_t share_of_memory = 8;  // that the vectors of a trial may take, and each way of blocking

PowersTurns timed(const Plan& plan) {
  return time_powers(plan, plan, static_cast<int>(constants::powers_trial_rounds), constants::powers_trial_s);
}

// Over products that took turns with it, as the machine drifts from one way to the next.
double gain(const PowersTurns& turns) { return turns.last_s > 0 ? turns.products_s / turns.last_s : 0; }

// What the runner holds, or that other way if it gains more: the turns of the one that is taken.
PowersTurns better_of(const std::shared_ptr<Runner>& runner, const Matrix& matrix, const PowersTurns& before,
                      const PowersStrategy& other) {
  PowersStrategy& powers = *runner->strategy.powers;
  PowersStrategy way = powers;
  HeldPowers held = std::move(runner->powers);
  powers = other;
  powers.pays = powers.all_pays = true;
  runner->powers = HeldPowers(matrix, runner->strategy);
  PowersTurns turns = timed(Runner::plan_of(runner));
  if (gain(turns) > gain(before)) return turns;
  powers = std::move(way);
  runner->powers = std::move(held);
  return before;
}
}  // namespace

bool are_many_powers(const PlanRequest& request, const Strategy& strategy) {
  if (!strategy.powers || strategy.powers->k < 2 || strategy.device != "host" || is_complex(strategy.precision))
    return false;
  const std::int64_t products = request.strategy.iterations;
  if (products > 0 && static_cast<double>(products) < constants::powers_timed_from) return false;
  return parse_trials(request.trials).mode != TrialMode::online && request.profile.empty();
}

bool times_powers(const PlanRequest& request, const Strategy& strategy, std::int64_t rows) {
  if (!are_many_powers(request, strategy) || strategy.powers->kernel.empty()) return false;
  const std::int64_t vectors =
      formats::saturating_product(rows, (strategy.powers->k + 3) * value_bytes(strategy.precision));
  const std::int64_t memory = base::memory_bytes();
  return memory <= 0 || vectors < memory / share_of_memory;
}

void settle_powers(const std::shared_ptr<Runner>& runner, const Matrix& matrix,
                   std::span<const PowersStrategy> others) {
  PowersStrategy& powers = *runner->strategy.powers;
  powers.pays = powers.all_pays = true;
  if (runner->powers.bytes() == 0) runner->powers = HeldPowers(matrix, runner->strategy);
  PowersTurns turns = timed(Runner::plan_of(runner));
  const std::int64_t memory = base::memory_bytes();
  for (const PowersStrategy& other : others)
    if (memory <= 0 || runner->powers.bytes() < memory / share_of_memory)
      turns = better_of(runner, matrix, turns, other);
  powers.pays = turns.last_s < turns.products_s;
  powers.all_pays = powers.pays && turns.all_s < turns.kept_s;
  powers.seconds = std::min(turns.last_s, turns.products_s);
  powers.low_s = powers.high_s = 0;  // of forecasts
  powers.all_s = powers.all_pays ? turns.all_s : turns.kept_s;
  powers.products_s = turns.products_s;
  powers.reason = fmt::format("measured in turns: {} powers in {} by blocks of rows, in {} by products", powers.k,
                              base::format_seconds(turns.last_s), base::format_seconds(turns.products_s));
  if (powers.pays && !powers.all_pays)
    powers.reason +=
        fmt::format("; all kept in {} and {}", base::format_seconds(turns.all_s), base::format_seconds(turns.kept_s));
  if (!powers.pays) {
    powers.all_pays = true;  // what a plan that multiplies k times begins with
    runner->powers = HeldPowers();
  }
}
}  // namespace sparsecast::planning

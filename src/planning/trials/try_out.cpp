// try_out: the plan of a strategy with trials, which take products of their own before the plan is handed over, or the
// caller's own.

#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/interrupt.hpp"
#include "base/number.hpp"
#include "planning/run/timed_plan.hpp"
#include "planning/trials/contest.hpp"
#include "planning/trials/online_runner.hpp"

namespace sparsecast {
namespace {
void hold_trials(planning::Contest& contest) {
  if (contest.course().step().action == planning::TrialAction::done) return;
  planning::TimingVectors vectors(*contest.best());
  try {
    while (contest.course().step().action != planning::TrialAction::done) {
      base::throw_if_interrupted();
      contest.took(vectors.run_one(*contest.next()));
      contest.convert();
    }
  } catch (const Error& error) {
    if (error.code() != ErrorCode::interrupted) throw;
    contest.interrupt();
  }
}
}  // namespace

TrialOptions parse_trials(std::string_view text) {
  constexpr std::array<std::pair<std::string_view, TrialMode>, 4> words{{{"none", TrialMode::none},
                                                                         {"0", TrialMode::none},
                                                                         {"auto", TrialMode::automatic},
                                                                         {"online", TrialMode::online}}};
  for (const auto& [word, mode] : words)
    if (text == word) return {mode};
  const int most = base::number_in<int>(text).value_or(0);
  if (most < 1)
    throw Error(ErrorCode::usage,
                "trials are 'none', 'auto', 'online' or a number of candidates, not '" + std::string(text) + "'");
  return {TrialMode::count, most};
}

Plan try_out(const Matrix& matrix, Strategy strategy, const TrialOptions& options) {
  if (options.mode == TrialMode::none || strategy.singles.empty()) return {matrix, std::move(strategy)};
  if (options.mode == TrialMode::online)
    return planning::Runner::plan_of(
        planning::with_powers(std::make_shared<planning::OnlineRunner>(matrix, std::move(strategy), options), matrix));
  const double start = base::now_s();
  planning::Contest contest(matrix, strategy, options);
  hold_trials(contest);
  std::shared_ptr<planning::Runner> best = contest.best();
  best->strategy = contest.outcome();
  TrialReport& report = *best->strategy.trials;
  if (!report.tried.empty() || !report.screened.empty()) report.spent_s = base::now_s() - start;
  best->set_checksums(planning::matrix_checksums(matrix));
  best->pace.promise(best->strategy);
  return planning::Runner::plan_of(planning::with_powers(std::move(best), matrix));
}
}  // namespace sparsecast

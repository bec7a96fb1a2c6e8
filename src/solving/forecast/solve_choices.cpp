#include "solving/forecast/solve_choices.hpp"

#include <algorithm>
#include <set>
#include <sparsecast/error.hpp>

#include "solving/requirements.hpp"

namespace sparsecast::solving {
namespace {
bool fits(const Matrix& matrix, const Method& method, PreconditionerKind kind) try {
  require_fit(matrix, method, kind);
  // Of blocks and factors only making them tells whether they are positive definite.
  if (method.info->definite && info_of(kind).applied == Preconditioning::step)
    (void)make_preconditioner(matrix, kind, 1, true);
  return true;
} catch (const Error&) {
  return false;
}
}  // namespace

std::vector<Choice> solve_choices(const Matrix& matrix, const Structure& structure, const Profile& profile,
                                  const ChoiceOptions& options) {
  std::vector<Choice> choices;
  const double of_chosen = info_of(options.preconditioner).iterations;
  std::vector<PreconditionerKind> kinds;
  for (const PreconditionerInfo& info : preconditioner_table())
    if (fits(matrix, options.method, info.kind) && (!options.runs || options.runs(info.kind)))
      kinds.push_back(info.kind);
  for (const int threads : options.threads) {
    std::optional<SolveForecaster> forecaster;
    try {
      forecaster.emplace(profile, FitOptions{options.precision, threads, options.notice},
                         options.here.seen_by(threads));
    } catch (const Error& error) {
      // Not calibrated for that number of threads.
      if (error.code() != ErrorCode::failed) throw;
      continue;
    }
    const Handover handover = options.here.handover_by(threads);
    for (const PreconditionerKind kind : kinds) {
      Choice choice;
      choice.iterations = std::max<std::int64_t>(
          1, std::llround(static_cast<double>(options.iterations) * info_of(kind).iterations / of_chosen));
      std::vector<SolveForecast> forecasts = forecaster->forecasts(
          structure, preconditioner_work(matrix, kind, threads), options.method, choice.iterations, handover);
      if (forecasts.empty()) continue;
      choice.forecast = std::move(forecasts.front());
      choice.total_s = choice.forecast.total_s(choice.iterations);
      choices.push_back(std::move(choice));
    }
  }
  std::ranges::stable_sort(choices, {}, &Choice::total_s);
  return choices;
}
}  // namespace sparsecast::solving

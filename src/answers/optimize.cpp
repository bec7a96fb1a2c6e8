// optimize: a plan, in the order that pays, and the truth about both.

#include <sparsecast/answers/optimize.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "answers/memory.hpp"
#include "answers/solver_choice.hpp"
#include "base/interrupt.hpp"
#include "forecast/record_choice.hpp"
#include "planning/reorder/order_search.hpp"

namespace sparsecast {
namespace {
// What finishes the solve first, and as many products as it takes for the plan.
FirstSolver choose_solver(const OptimizeRequest& request, const Matrix& matrix, const Profile& profile,
                          const FitOptions& fit, StrategyOptions& wanted) {
  const solving::Choice first =
      answers::solver_choices(matrix, profile, request.solver, request.strategy.iterations,
                              answers::is_this_machine(profile, request.device, request.profile.string()),
                              request.threads, fit.notice)
          .front();
  const solving::Method method = solving::parse_method(request.solver);
  const double products = amounts_of(steps_of(method, solving::Preconditioning::none)).products;
  wanted.iterations = std::max<std::int64_t>(1, std::llround(products * static_cast<double>(first.iterations)));
  return {.method = method.name(),
          .preconditioner = std::string(solving::name_of(first.forecast.preconditioner)),
          .format = first.forecast.format,
          .threads = first.forecast.threads,
          .iterations = first.iterations,
          .iteration_s = first.forecast.iteration.seconds,
          .setup_s = first.forecast.setup_s,
          .total_s = first.total_s};
}

StoredTranspose stored_transpose(const planning::TransposeAdvice& advice) {
  if (advice.symmetric) return {true, {}};
  return {false, StoredTransposeTimes{advice.kernel, advice.seconds, advice.conversion_s, advice.transpose_s,
                                      advice.pays_from < 0 ? std::nullopt : std::optional(advice.pays_from)}};
}

FoundOrder order_of(const Reordering& found) {
  FoundOrder order{.order = found.order.kind,
                   .gain = found.gain,
                   .gain_low = found.gain_low,
                   .gain_high = found.gain_high,
                   .reordering_s = found.reordering_s,
                   .bound = found.bound,
                   .reason = found.reason,
                   .search_s = found.search_s,
                   .predicted_as_it_is_s = found.as_it_is.predicted_s};
  for (const OrderTrial& trial : found.trials) {
    OrderAnswer& one = order.orders.emplace_back();
    one.order = trial.ordering;
    one.tried = trial.tried;
    one.forecast_s = trial.forecast_reordering_s;
    one.reason = trial.reason;
    if (!trial.tried) continue;
    one.seconds = trial.seconds;
    one.gain = trial.gain;
    one.gain_low = trial.gain_low;
    one.gain_high = trial.gain_high;
    one.reordering_s = trial.reordering_s;
  }
  return order;
}

MeasuredPlan measured_plan(const planning::MeasuredGain& truth, Strategy& strategy) {
  strategy.best_single.measured_s = truth.best_single_s;
  for (std::size_t i = 0; i < truth.singles.size(); ++i) {
    strategy.singles[i].status = truth.singles[i].status;
    if (truth.singles[i].status == "ok") strategy.singles[i].measured_s = truth.singles[i].seconds;
  }
  return {.seconds = truth.plan_s,
          .conversion_s = truth.conversion_s,
          .gain = truth.gain,
          .gain_low = truth.low,
          .gain_high = truth.high,
          .in_noise = truth.low <= 0 && truth.high >= 0,
          .fastest = {truth.fastest, truth.fastest_s},
          .rounds = truth.rounds,
          .largest_error = truth.largest_error};
}

MeasuredReordering measured_order(const Matrix& as_it_is, const Reordering& found, const Plan& plan) {
  if (found.order.kind == Ordering::none) return {};
  const planning::MeasuredOrder truth = planning::measure_order(as_it_is, found, Plan(as_it_is, found.as_it_is), plan);
  return {.gain = truth.gain,
          .gain_low = truth.low,
          .gain_high = truth.high,
          .reordering_s = truth.reordering_s,
          .largest_error = truth.largest_error,
          .old_s = truth.old_s,
          .new_s = truth.new_s,
          .rounds = truth.rounds};
}

bool of_own_models(const OptimizeRequest& request) { return request.model == "best" || request.model == "sparsecast"; }

answers::Memory memory_of(const OptimizeRequest& request, const Matrix& matrix, const std::string& device,
                          int threads) {
  if (request.no_store || !request.profile.empty()) return {};
  const StrategyOptions& wanted = request.strategy;
  return {matrix, device, {wanted.vectors, wanted.transposed, request.precision}, threads, request.listener};
}

// The strategy, in the order that pays where one was asked for; `structure` is what was seen of the matrix as it is.
std::optional<Reordering> search(const Planner& planner, const Matrix& matrix, StrategyOptions wanted,
                                 const OptimizeRequest& request, Optimization& answer,
                                 std::shared_ptr<const Structure>& structure) {
  if (request.order) {
    Reordering found = find_reordering(planner, matrix, wanted, *request.order);
    answer.strategy = found.strategy;
    answer.order = order_of(found);
    answer.planned = found.matrix;
    return found;
  }
  const double start = base::now_s();
  if (of_own_models(request)) structure = wanted.structure = planner.structure(matrix, wanted.iterations);
  answer.strategy = planner.strategy(matrix, wanted);
  answer.strategy.planning_s = base::now_s() - start;
  answer.planned = matrix;
  return std::nullopt;
}

// The plan, where one is wanted beside its strategy: with trials the strategy is of what won.
std::optional<Plan> plan_of(const OptimizeRequest& request, const TrialOptions& trials, const answers::Memory& memory,
                            Optimization& answer) {
  const bool tries = trials.mode != TrialMode::none && !answer.strategy.trials;
  if (!tries && !request.verify && request.save.empty()) return std::nullopt;
  Plan plan = answers::plan_from(answer.planned, answer.strategy, trials, memory, request.listener);
  answer.strategy = plan.strategy();
  return plan;
}

void carry_out(const OptimizeRequest& request, const Matrix& as_it_is, const std::optional<Reordering>& found,
               const Plan& plan, Optimization& answer) {
  if (!request.save.empty()) plan.save(request.save);
  if (!request.verify) return;
  answer.measured = measured_plan(planning::measure_gain(answer.planned, plan), answer.strategy);
  if (found) answer.order->measured = measured_order(as_it_is, *found, plan);
}
}  // namespace

Optimization optimize(const OptimizeRequest& asked_for) {
  OptimizeRequest request = asked_for;
  const base::StopScope stop(request.listener.stop);
  const Matrix matrix = load_matrix(request.matrix, request.threads, request.listener);
  if (matrix.is_complex()) request.precision = complex_of(request.precision);
  StrategyOptions wanted = request.strategy;
  if (request.verify && (wanted.vectors > 1 || wanted.transposed))
    throw Error(ErrorCode::usage, "--verify measures y = A·x of one vector", {},
                "`sparsecast measure` takes --vectors and --transposed");
  const TrialOptions trials = parse_trials(request.trials);
  if (trials.mode == TrialMode::online)
    throw Error(ErrorCode::usage, "trials within a caller's own products are for a plan that is called", {},
                "'auto' tries before");
  const std::shared_ptr<answers::Machine> machine =
      answers::Machine::of(request.device, request.profile.string(), request.listener, true);
  const Profile& profile = machine->profile();
  const FitOptions fit = answers::fit_options(profile, request.precision, request.threads, request.listener);
  Optimization answer{.matrix = answers::size_of(matrix),
                      .device = answers::name_of(profile.properties),
                      .precision = request.precision,
                      .model = request.model,
                      .records_precision = forecast::records_for(profile, fit).precision};
  if (request.profile.empty())
    answer.drift = answers::answer_of(answers::check_profile(profile, request.check_drift, fit, request.listener));
  if (!request.solver.empty()) answer.solver = choose_solver(request, matrix, profile, fit, wanted);
  if (!request.no_store && request.profile.empty()) answers::Memory::prepare(profile.name, request.listener);
  const double start = base::now_s();
  answers::Memory memory = memory_of(request, matrix, profile.name, fit.threads);
  const bool in_full = request.verify || request.order || !of_own_models(request);
  std::optional<Reordering> found;
  if (std::optional<Strategy> known = in_full ? std::nullopt : memory.known_plan(wanted, request.trials != "none")) {
    answer.strategy = std::move(*known);
    answer.strategy.planning_s = base::now_s() - start;
    answer.planned = matrix;
  } else {
    std::shared_ptr<const Structure> structure;
    found = search(*machine->planner(request.model, fit), matrix, wanted, request, answer, structure);
    if (found) memory = memory_of(request, answer.planned, profile.name, fit.threads);
    if (structure) memory.look_around(*structure, profile, fit, request.listener);
    memory.apply(answer.strategy, trials.mode != TrialMode::none);
  }
  const std::optional<Plan> plan = plan_of(request, trials, memory, answer);
  if (wanted.transposed)
    answer.stored_transpose = stored_transpose(
        planning::advise_transpose(*machine->planner(request.model, fit), answer.planned, answer.strategy, wanted));
  if (plan) carry_out(request, matrix, found, *plan, answer);
  answer.of_other_precision = answers::other_precision_text(profile, fit);
  return answer;
}
}  // namespace sparsecast

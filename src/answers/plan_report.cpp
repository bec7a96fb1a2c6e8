// plan_report: a plan, in the order that pays, and the truth about both.

#include <sparsecast/answers/plan_needs.hpp>
#include <sparsecast/answers/plan_report.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/requested_device.hpp"
#include "answers/solver_choice.hpp"
#include "base/interrupt.hpp"
#include "calibration/measurement.hpp"
#include "fields/answers/plan_report.hpp"
#include "fields/wording.hpp"
#include "forecast/memory_fit.hpp"
#include "forecast/record_choice.hpp"
#include "planning/choice/choose.hpp"
#include "planning/reorder/measured_order.hpp"
#include "planning/reorder/order_search.hpp"
#include "planning/run/measured_gain.hpp"
#include "planning/run/transpose_advice.hpp"
#include "solving/forecast/solve_choices.hpp"

namespace sparsecast {
namespace {
// What finishes the solve first, and as many products as it takes for the plan.
FirstSolver choose_solver(const PlanRequest& request, const std::string& solver, const Matrix& matrix,
                          const Profile& profile, StrategyOptions& wanted) {
  const solving::Choice first =
      answers::solver_choices(matrix, profile, solver, request.strategy.iterations, request.device,
                              request.profile.string(), request.threads, request.listener)
          .front();
  if (!first.forecast.conversion_known) answers::remark_unknown_conversion(profile.name, false, request.listener);
  const solving::Method method = solving::parse_method(solver);
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

// The same for the matrix in the order that the plan is for; what is to be told was told of the old one.
FirstSolver solver_in_order(const PlanReportRequest& asked, const Matrix& in_order, const Profile& profile) {
  PlanRequest request = asked.plan;
  request.listener.remark = {};
  StrategyOptions counted = request.strategy;
  return choose_solver(request, asked.solver, in_order, profile, counted);
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
    if (truth.singles[i].status == calibration::Measurement::timed_word)
      strategy.singles[i].measured_s = truth.singles[i].seconds;
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

// Of a machine that is only described a plan can be told and not made.
void require_plan_on_paper(const PlanReportRequest& asked, const Profile& profile) {
  if (profile.properties.kind == DeviceKind::host)
    throw Error(
        ErrorCode::unavailable,
        fmt::format("'{}' is not present: plans by description are made for GPUs, not for processors", profile.name),
        {}, wording::format("{} forecasts every kernel there", wording::ask("predict", {{"device", profile.name}})));
  const bool makes = asked.verify || !asked.save.empty() || parse_trials(asked.plan.trials).mode != TrialMode::none;
  if (makes || asked.order || asked.plan.strategy.transposed)
    throw Error(
        ErrorCode::unavailable,
        fmt::format("'{}' is not present: its plan is shown, but cannot be tried, measured or saved", profile.name), {},
        wording::format("omit {}, {}, {}, {} and {}", wording::option("verify"), wording::option("save"),
                        wording::option("trials"), wording::option("transposed"), wording::option("order")));
}

// What is done with the plan beside telling of it.
void use(const PlanReportRequest& request, const Matrix& as_it_is, const std::optional<Reordering>& found,
         const Plan& plan, PlanReport& answer) {
  if (!request.save.empty()) plan.save(request.save);
  if (!request.verify) return;
  answer.measured = measured_plan(planning::measure_gain(answer.planned, plan), answer.strategy);
  if (found) answer.order->measured = measured_order(as_it_is, *found, plan);
}
}  // namespace

PlanReport plan_report(const PlanReportRequest& asked) {
  PlanRequest request = asked.plan;
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(asked);
  const Matrix matrix = load_matrix(request.matrix, request.threads, request.listener);
  if (matrix.is_complex()) request.precision = complex_of(request.precision);
  if (asked.verify && (request.strategy.vectors > 1 || request.strategy.transposed))
    throw Error(ErrorCode::usage,
                wording::format("{} measures only y = A·x with one vector", wording::option("verify")), {},
                wording::format("{} takes {} and {}", wording::ask("measure"), wording::option("vectors"),
                                wording::option("transposed")));
  if (parse_trials(request.trials).mode == TrialMode::online)
    throw Error(ErrorCode::usage, "trials during a caller's own products need a plan in a program", {},
                "'auto' tries beforehand");
  answers::RequestedDevice device(request, true);
  const Profile& profile = device.profile();
  if (!profile.is_measured()) require_plan_on_paper(asked, profile);
  const FitOptions fit = device.fit(request.precision, request.threads);
  PlanReport answer{.matrix = answers::size_of(matrix),
                    .device = answers::name_of(profile.properties),
                    .precision = request.precision,
                    .model = request.model,
                    .tier = profile.tier,
                    .records_precision = forecast::records_for(profile, fit).precision};
  if (request.profile.empty())
    answer.drift = answers::answer_of(answers::check_profile(profile, asked.check_drift, fit, request.listener));
  if (!asked.solver.empty()) answer.solver = choose_solver(request, asked.solver, matrix, profile, request.strategy);
  planning::Choice choice = planning::choose(
      request, matrix, device,
      {.threads = fit.threads, .look = planning::Look::always, .order = asked.order, .forecasts = asked.verify});
  answer.strategy = choice.strategy;
  answer.planned = choice.matrix;
  if (choice.order) answer.order = order_of(*choice.order);
  if (answer.solver && choice.order && choice.order->order.kind != Ordering::none)
    answer.solver = solver_in_order(asked, choice.matrix, profile);
  const bool tries = parse_trials(request.trials).mode != TrialMode::none && !choice.strategy.trials;
  if (tries || asked.verify || !asked.save.empty()) {
    const Plan plan = carry_out(choice, request);
    answer.strategy = plan.strategy();
    if (choice.order) planning::find_break_even_in_order(answer.strategy, *choice.order);
    use(asked, matrix, choice.order, plan, answer);
  }
  if (request.strategy.transposed)
    answer.stored_transpose = stored_transpose(planning::advise_transpose(
        *device.planner(request.model, device.fit(request.precision, answer.strategy.threads)), answer.planned,
        answer.strategy, request.strategy));
  const Strategy& chosen = answer.strategy;
  answers::remark_memory(profile.properties,
                         forecast::held_bytes(static_cast<double>(chosen.best_single.bytes), matrix.rows(),
                                              matrix.cols(), request.precision, request.strategy.vectors),
                         request.listener);
  answer.of_other_precision = answers::other_precision_text(profile, fit, request.listener.voice);
  return answer;
}
}  // namespace sparsecast

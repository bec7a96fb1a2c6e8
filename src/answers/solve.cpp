// solve: forecasts of a solve by every format, the choices of what finishes it first, and the run.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/solve.hpp>
#include <sparsecast/error.hpp>

#include "answers/in_range.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "answers/solver_choice.hpp"
#include "base/interrupt.hpp"
#include "fields/answers/solve.hpp"
#include "fields/wording.hpp"
#include "hardware/host/bound_team.hpp"
#include "planning/choice/choose.hpp"
#include "solving/handover.hpp"
#include "solving/requirements.hpp"
#include "solving/run/device_cg.hpp"
#include "solving/solve.hpp"

namespace sparsecast {
namespace {
// A solve is repeated for so long: the clock's noise and the system's beside it are small then.
constexpr double repeat_s = 0.5;

// What only a program can get wrong: the command's options have these bounds.
void require_bounds(const SolveRequest& request) {
  const double tolerance = request.tolerance.value_or(solving::RunOptions().tolerance);
  if (!(tolerance >= solving::rounding && tolerance <= 1))
    throw Error(ErrorCode::usage,
                fmt::format("a tolerance of {:g} is not between {:g} and 1", tolerance, solving::rounding), {},
                "1e-8 is usual");
  if (request.iterations < 0)
    throw Error(ErrorCode::usage, fmt::format("{} iterations cannot be made", request.iterations), {},
                "give 1 or more, or 0 for as many as the tolerance takes");
}

MeasuredSolve run(const Matrix& matrix, const SolveRequest& request, const solving::SolveForecast& best,
                  const solving::Method& method, int threads, std::int64_t& iterations) {
  solving::SolveTask task{.method = method,
                          .preconditioner = best.preconditioner,
                          .kernel = best.format,
                          .threads = threads,
                          .device = answers::is_gpu_here(request.device, {}) ? request.device : "host",
                          .repeat_s = repeat_s};
  task.run.iterations = request.iterations;
  task.run.until_tolerance = request.iterations == 0 || request.tolerance.has_value();
  task.run.tolerance = request.tolerance.value_or(solving::RunOptions().tolerance);
  const hardware::BoundTeam bound(threads);
  solving::SolveResult m = solving::run_solve(matrix, task);
  solving::require_solved(m, task, matrix.name());
  iterations = std::max<std::int64_t>(1, m.iterations);
  return {.iteration_s = m.iteration_s,
          .setup_s = m.setup_s(),
          .total_s = m.setup_s() + static_cast<double>(m.iterations) * m.iteration_s,
          .residual = m.residual,
          .converged = m.ending == solving::Ending::converged,
          .residuals = std::move(m.residuals),
          .residuals_every = m.every,
          .eigenvalues = std::move(m.eigenvalues),
          .history = std::move(m.history)};
}

void sort_by_total(std::vector<solving::SolveForecast>& forecasts, std::int64_t iterations) {
  std::ranges::stable_sort(forecasts, {}, [&](const solving::SolveForecast& one) { return one.total_s(iterations); });
}

// Runs the solve by the format that finishes first. Which one that is depends on how many iterations there are, and a
// run is what counts them: where another one finishes so many first, the solve is run once more, by that.
MeasuredSolve run_the_first(const Matrix& matrix, const SolveRequest& request,
                            std::vector<solving::SolveForecast>& forecasts, const solving::Method& method, int threads,
                            std::int64_t& iterations) {
  constexpr int most_runs = 3;  // rounding differs by format, so that the count may change once more
  for (int runs = 1;; ++runs) {
    MeasuredSolve measured = run(matrix, request, forecasts.front(), method, threads, iterations);
    std::vector<solving::SolveForecast> sorted = forecasts;
    sort_by_total(sorted, iterations);
    const bool same = sorted.front().format == forecasts.front().format;
    if (same || runs < most_runs) forecasts = std::move(sorted);
    if (same || runs == most_runs) return measured;
  }
}

// Products by those formats that may win are measured here. What they took is kept and found again by forecasts.
void try_formats(const SolveRequest& request, answers::Machine& machine, const FitOptions& fit, const Matrix& matrix,
                 const Structure& structure, SolveTime& answer) {
  if (!answers::is_this_machine(machine.profile(), request.device, request.profile.string()))
    throw Error(ErrorCode::unavailable, "formats can be tried on the host only", {},
                wording::format("omit {} or {}", wording::option("trials"), wording::option("device")));
  // One kernel: a solve's products are of the whole matrix.
  Strategy strategy =
      machine.planner("best", fit)
          ->strategy(matrix, {.iterations = answer.iterations, .max_blocks = 1, .reorder = Reorder::never});
  planning::Choice choice{std::move(strategy), matrix,
                          planning::observed_here(matrix, structure, machine.profile(), fit, {}, request.listener)};
  choice.observed.apply(choice.strategy, true);
  PlanRequest asked;
  asked.device = request.device;
  asked.trials = request.trials;
  asked.listener = request.listener;
  const Plan plan = planning::carry_out(choice, asked);
  answer.trials = plan.strategy().trials;
}

void put_forecasts(SolveTime& answer, const std::vector<solving::SolveForecast>& forecasts) {
  const solving::SolveForecast& best = forecasts.front();
  answer.tier = best.tier;
  answer.threads = best.threads;
  answer.format = best.format;
  answer.iteration_s = best.iteration.seconds;
  answer.low_s = best.iteration.low_s;
  answer.high_s = best.iteration.high_s;
  answer.setup_s = best.setup_s;
  answer.total_s = best.total_s(answer.iterations);
  answer.extrapolated = best.extrapolated;
  for (const solving::SolvePart& part : best.parts) answer.parts.push_back({part.term, part.time.seconds});
  for (const solving::SolveForecast& one : forecasts)
    answer.formats.push_back({one.format, one.iteration.seconds, one.setup_s, one.total_s(answer.iterations),
                              one.iteration.low_s, one.iteration.high_s, one.conversion_known});
}

SolverChoice choice_of(const solving::Choice& choice) {
  return {std::string(solving::name_of(choice.forecast.preconditioner)),
          choice.forecast.threads,
          choice.forecast.format,
          choice.iterations,
          choice.forecast.iteration.seconds,
          choice.forecast.setup_s,
          choice.total_s,
          choice.forecast.conversion_known};
}

void remark_on_conversions(const SolveTime& answer, const Listener& listener) {
  if (std::ranges::all_of(answer.formats, &SolveFormat::conversion_known)) return;
  answers::remark_unknown_conversion(answer.profile,
                                     std::ranges::any_of(answer.formats, &SolveFormat::conversion_known), listener);
}

// Format, preconditioner and all vectors of the method: the basis of gmres, the blocks of lobpcg.
double bytes_held(const solving::SolveForecast& best, const solving::PreconditionerWork& work,
                  const solving::Method& method, const Matrix& matrix) {
  const double vector = static_cast<double>(matrix.rows() * solving::numbers_of_value(matrix)) * sizeof(double);
  return static_cast<double>(best.format_bytes) + solving::preconditioner_bytes(work) +
         vector * solving::vectors_held(method, solving::info_of(work.kind).applied);
}
}  // namespace

SolveTime solve(const SolveRequest& request) {
  const base::StopScope stop(request.listener.stop);
  answers::require_in_range(request);
  require_bounds(request);
  const std::string file = request.profile.string();
  const std::shared_ptr<answers::Machine> machine = answers::Machine::of(request.device, file, request.listener);
  const Profile& profile = machine->profile();
  const solving::Method method = solving::parse_method(request.method);
  const solving::PreconditionerKind preconditioner = solving::parse_preconditioner(request.preconditioner);
  const bool present = answers::is_this_machine(profile, request.device, file);
  if (request.measure && !present && !answers::is_gpu_here(request.device, file))
    throw Error(ErrorCode::unavailable, "a solve can run only on the host and on devices that are present", {},
                wording::format("omit {} or {}", wording::option("measure", true), wording::option("device")));
  const Matrix matrix = solving::matrix_to_solve(load_matrix(request.matrix, request.threads, request.listener), method,
                                                 request.shift == MatrixShift::spd);
  solving::require_fit(matrix, method, preconditioner);
  const Precision precision = matrix.is_complex() ? Precision::complex_double_ : Precision::double_;
  const FitOptions fit = answers::fit_options(profile, precision, request.threads, request.listener);
  SolveTime answer{.method = method.name(),
                   .preconditioner = request.preconditioner,
                   .shift = request.shift,
                   .iterations = request.iterations > 0 ? request.iterations : answers::assumed_iterations,
                   .iterations_assumed = request.iterations == 0 && !request.measure};
  if (request.profile.empty())
    answer.drift = answers::answer_of(answers::check_profile(profile, request.check_drift, fit, request.listener));
  const Structure structure = analyze(matrix, request.threads);
  answer.matrix = answers::size_of(structure);
  answer.device = answers::name_of(profile.properties);
  answer.profile = profile.name;
  if (parse_trials(request.trials).mode != TrialMode::none)
    try_formats(request, *machine, fit, matrix, structure, answer);
  const int threads = std::max(1, fit.threads);
  const solving::HereAndNow here =
      present ? answers::here_and_now(matrix, structure, profile, precision, request.listener) : solving::HereAndNow();
  const solving::PreconditionerWork work = solving::preconditioner_work(matrix, preconditioner, fit.threads);
  const Structure read = solving::structure_read(matrix, structure, method, profile.properties.kind, request.threads);
  std::vector<solving::SolveForecast> forecasts =
      solving::SolveForecaster(profile, fit, here.seen_by(fit.threads))
          .forecasts(read, work, method, answer.iterations, here.handover_by(threads));
  if (forecasts.empty()) throw Error(ErrorCode::failed, "no kernel could be forecast for the matrix", {matrix.name()});
  if (request.measure && answers::is_gpu_here(request.device, file) && (request.iterations == 0 || request.tolerance))
    answers::tell(request.listener.remark, fmt::format("{} looks at the residual every {} iterations, and ends then",
                                                       request.device, solving::iterations_between_looks));
  if (request.measure) answer.measured = run_the_first(matrix, request, forecasts, method, threads, answer.iterations);
  put_forecasts(answer, forecasts);
  remark_on_conversions(answer, request.listener);
  answers::remark_memory(profile.properties, bytes_held(forecasts.front(), work, method, matrix), request.listener);
  if (request.tolerance && !request.measure)
    answers::remark_without_effect("a forecast", wording::option("solve.tolerance"), request.listener);
  for (const solving::Choice& choice : solving::solve_choices(
           matrix, read, profile,
           {.method = method,
           .preconditioner = preconditioner,
           .iterations = answer.iterations,
           .threads = answers::threads_to_choose_from(profile, request.threads),
           .precision = precision,
           .notice = fit.notice,
           .here = here,
           .runs = answers::runs_there(request.device, file, method, matrix.is_complex(), request.listener)}))
    answer.choices.push_back(choice_of(choice));
  return answer;
}
}  // namespace sparsecast

// sparsecast solve: how long an iterative solve takes, an iteration and the set-up part by part, and on request the
// truth.

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/profile_check.hpp"
#include "app/solver_choice.hpp"
#include "app/terminal/terminal.hpp"
#include "base/text.hpp"
#include "devices/host/bound_team.hpp"
#include "solve/forecast/choices.hpp"
#include "solve/requirements.hpp"
#include "solve/solve.hpp"

namespace sparsecast::app {
namespace {

using nlohmann::ordered_json;
using solve::Choice;
using solve::SolveForecast;
using solve::SolveResult;

// A solve is repeated for so long: the clock's noise and the system's beside it are small then.
constexpr double repeat_s = 0.5;

struct SolveArguments {
  std::string matrix;
  std::string method = "cg", preconditioner = "none", shift = "none";
  std::string device = "host", profile;
  std::int64_t iterations = 0;
  std::optional<double> tolerance;
  bool measure = false, no_probe = false;
};

struct SolveAnswer {
  Structure structure;
  solve::Method method;
  solve::PreconditionerKind preconditioner = solve::PreconditionerKind::none;
  std::vector<SolveForecast> forecasts;  ///< of every format
  std::vector<Choice> choices;
  std::int64_t iterations = 0;
  bool assumed = false;  ///< nobody said how many, and nothing ran
  std::optional<SolveResult> measured;
  std::optional<forecast::Drift> drift;

  [[nodiscard]] const SolveForecast& best() const { return forecasts.front(); }
};

SolveResult measure_solve(const Matrix& matrix, const SolveArguments& options, const SolveAnswer& answer, int threads) {
  solve::SolveTask task{.method = answer.method,
                        .preconditioner = answer.preconditioner,
                        .kernel = answer.best().format,
                        .threads = threads,
                        .repeat_s = repeat_s};
  task.run.iterations = options.iterations;
  task.run.until_tolerance = options.iterations == 0 || options.tolerance.has_value();
  task.run.tolerance = options.tolerance.value_or(solve::RunOptions().tolerance);
  const devices::BoundTeam bound(threads);
  SolveResult result = solve::run_solve(matrix, task);
  solve::require_solved(result, task, matrix.name());
  return result;
}

SolveAnswer answer_of(const SolveArguments& options, const Profile& profile, const Globals& globals) {
  SolveAnswer answer;
  answer.method = solve::parse_method(options.method);
  answer.preconditioner = solve::parse_preconditioner(options.preconditioner);
  if (globals.value_precision() != Precision::double_)
    throw Error(ErrorCode::usage, "solves are in double precision", {}, "leave --precision single away");
  const bool present = is_this_machine(profile, options.device, options.profile);
  if (options.measure && !present)
    throw Error(ErrorCode::unavailable, "a solve is run on the host alone", {}, "leave --measure or --device away");
  const Matrix matrix = solve::matrix_to_solve(read_input(matrix_file(options.matrix, globals), globals), answer.method,
                                               options.shift == "spd");
  solve::require_fit(matrix, answer.method, answer.preconditioner);
  if (options.profile.empty()) answer.drift = check_profile(profile, !options.no_probe, globals);
  const FitOptions fit = fit_options(profile, globals);
  const solve::SolveForecaster forecaster(profile, fit);
  answer.structure = analyze(matrix, globals.threads);
  answer.iterations = options.iterations > 0 ? options.iterations : assumed_iterations;
  answer.assumed = options.iterations == 0 && !options.measure;
  answer.forecasts = forecaster.forecasts(
      answer.structure, solve::preconditioner_work(matrix, answer.preconditioner, fit.threads), answer.method,
      answer.iterations, present ? solve::measured_handover(matrix, std::max(1, fit.threads)) : solve::Handover());
  if (answer.forecasts.empty())
    throw Error(ErrorCode::failed, "no kernel could be forecast for the matrix", {matrix.name()});
  if (options.measure) {
    answer.measured = measure_solve(matrix, options, answer, std::max(1, fit.threads));
    answer.iterations = std::max<std::int64_t>(1, answer.measured->iterations);
  }
  answer.choices = solve::solve_choices(matrix, answer.structure, profile,
                                        {.method = answer.method,
                                         .preconditioner = answer.preconditioner,
                                         .iterations = answer.iterations,
                                         .threads = threads_to_choose_from(profile, globals),
                                         .notice = fit.notice,
                                         .present = present});
  return answer;
}

ordered_json choice_json(const Choice& choice) {
  return {{"preconditioner", solve::name_of(choice.forecast.preconditioner)},
          {"threads", choice.forecast.threads},
          {"format", choice.forecast.format},
          {"iterations", choice.iterations},
          {"iteration_s", choice.forecast.iteration.seconds},
          {"setup_s", choice.forecast.setup_s},
          {"total_s", choice.total_s}};
}

ordered_json solve_document(const SolveAnswer& a, const SolveArguments& options, const Profile& profile) {
  const SolveForecast& best = a.best();
  ordered_json out{{"matrix", matrix_json(a.structure)},
                   {"device", device_json(profile.properties)},
                   {"tier", best.tier},
                   {"threads", best.threads},
                   {"method", a.method.name()},
                   {"preconditioner", solve::name_of(a.preconditioner)},
                   {"shift", options.shift},
                   {"format", best.format},
                   {"iterations", a.iterations},
                   {"iterations_assumed", a.assumed},
                   {"iteration_s", best.iteration.seconds},
                   {"low_s", best.iteration.low_s},
                   {"high_s", best.iteration.high_s},
                   {"setup_s", best.setup_s},
                   {"total_s", best.total_s(a.iterations)},
                   {"extrapolated", best.extrapolated},
                   {"parts", ordered_json::array()},
                   {"formats", ordered_json::array()},
                   {"choices", ordered_json::array()},
                   {"drift", drift_json(a.drift)}};
  for (const solve::SolvePart& part : best.parts)
    out["parts"].push_back({{"name", part.name}, {"seconds", part.time.seconds}});
  for (const SolveForecast& one : a.forecasts)
    out["formats"].push_back({{"format", one.format},
                              {"iteration_s", one.iteration.seconds},
                              {"setup_s", one.setup_s},
                              {"total_s", one.total_s(a.iterations)}});
  for (const Choice& choice : a.choices) out["choices"].push_back(choice_json(choice));
  if (!a.measured) return out;
  const SolveResult& m = *a.measured;
  out["measured_iteration_s"] = m.iteration_s;
  out["measured_setup_s"] = m.setup_s();
  out["measured_total_s"] = m.setup_s() + static_cast<double>(m.iterations) * m.iteration_s;
  out["residual"] = m.residual;
  out["converged"] = m.ending == solve::Ending::converged;
  out["residuals"] = m.residuals;
  out["residuals_every"] = m.every;
  if (!m.eigenvalues.empty()) out["eigenvalues"] = m.eigenvalues;
  return out;
}

std::string measured_text(const SolveAnswer& a) {
  if (!a.measured) return {};
  const SolveResult& m = *a.measured;
  std::string text = fmt::format(
      "measured: {} an iteration ({:+.1f} % of the forecast), set-up {}, {} iterations, residual {:.2g}{}\n"
      "residual: {}\n",
      base::format_seconds(m.iteration_s), 100 * (m.iteration_s / a.best().iteration.seconds - 1),
      base::format_seconds(m.setup_s()), base::format_count(m.iterations), m.residual,
      m.ending == solve::Ending::converged ? "" : ", not converged", m.history);
  for (const double value : m.eigenvalues) text += fmt::format("eigenvalue {:.10g}\n", value);
  return text;
}

std::string choices_text(const SolveAnswer& a) {
  base::TextTable table({"preconditioner", "threads", "format", "iteration", "set-up", "iterations", "total"});
  table.keys(1);
  for (const Choice& c : a.choices)
    table.add({std::string(solve::name_of(c.forecast.preconditioner)),
               c.forecast.threads > 0 ? std::to_string(c.forecast.threads) : "–", c.forecast.format,
               base::format_seconds(c.forecast.iteration.seconds), base::format_seconds(c.forecast.setup_s),
               base::format_count(c.iterations), base::format_seconds(c.total_s)});
  return table.text(layout());
}

std::string solve_text(const SolveAnswer& a, const Profile& profile) {
  const SolveForecast& best = a.best();
  const Structure& s = a.structure;
  base::TextTable parts({"part of an iteration", "forecast", "share"});
  for (const solve::SolvePart& part : best.parts)
    parts.add({part.name, base::format_seconds(part.time.seconds),
               base::format_percent(part.time.seconds / best.iteration.seconds)});
  base::TextTable formats({"format", "iteration", "90 % interval", "set-up", "total"});
  for (const SolveForecast& f : a.forecasts)
    formats.add({f.format, base::format_seconds(f.iteration.seconds),
                 base::format_seconds(f.iteration.low_s) + " – " + base::format_seconds(f.iteration.high_s),
                 base::format_seconds(f.setup_s), base::format_seconds(f.total_s(a.iterations))});
  const Choice& first = a.choices.front();
  return fmt::format(
      "{}: {} × {}, {} non-zeros, {} with preconditioner {} on {}{}{}\n\n"
      "{}\ntotal: set-up and {} iterations{}\n\n{}\n{}\n{}{}\n{}: {} with {}{}, {} in all\n",
      s.name, base::format_count(s.rows), base::format_count(s.cols), base::format_count(s.nonzeros), a.method.name(),
      solve::name_of(a.preconditioner), profile.name,
      best.threads > 0 ? fmt::format(", {} thread{}", best.threads, best.threads == 1 ? "" : "s") : "",
      best.tier == "measured" ? "" : fmt::format(" (by {})", best.tier), formats.text(layout()),
      base::format_count(a.iterations),
      a.measured  ? ""
      : a.assumed ? ", an assumption: --iterations says how many, --measure counts them"
                  : "",
      parts.text(layout()), measured_text(a), choices_text(a),
      "iterations with other preconditioners: as they were on other matrices", base::bold("finishes first", layout()),
      solve::name_of(first.forecast.preconditioner), first.forecast.format,
      first.forecast.threads > 0
          ? fmt::format(" on {} thread{}", first.forecast.threads, first.forecast.threads == 1 ? "" : "s")
          : "",
      base::format_seconds(first.total_s));
}

void solve_matrix(const SolveArguments& options, const Globals& globals) {
  const Profile profile = load_machine(options.device, options.profile);
  const SolveAnswer answer = answer_of(options, profile, globals);
  if (globals.json) return print_json("solve", solve_document(answer, options, profile));
  print(solve_text(answer, profile));
}

}  // namespace

void add_solve(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("solve", "Time of an iterative solve, part by part; --measure runs it");
  auto options = std::make_shared<SolveArguments>();
  command->add_option("MATRIX", options->matrix, "a matrix file, or ss:GROUP/NAME")->required();
  command
      ->add_option("--method", options->method,
                   "cg, bicgstab, gmres[:restart], chebyshev, jacobi, power, pagerank or lobpcg[:block]")
      ->capture_default_str();
  command->add_option("--preconditioner", options->preconditioner, "none, jacobi, block-jacobi, ic0 or ilu0")
      ->capture_default_str();
  command->add_option("--device", options->device, "host, opencl:N, cuda:N, a profile's or a described machine's name")
      ->capture_default_str();
  command->add_option("--profile", options->profile, "a profile file instead of a device's own measurements");
  command
      ->add_option("--shift", options->shift,
                   "spd: the Laplacian of the pattern's graph plus the identity instead of the matrix")
      ->check(CLI::IsMember({"none", "spd"}))
      ->capture_default_str();
  command
      ->add_option("--iterations", options->iterations,
                   "so many iterations (default: with --measure as many as the tolerance takes, else 500)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  command
      ->add_option("--tolerance", options->tolerance,
                   "of the residual, relative to the right-hand side (default: 1e-8, or none with --iterations)")
      ->check(CLI::Range(1e-15, 1.0));
  command->add_flag("--measure", options->measure, "run it by our plan on the host, and show both");
  command->add_flag("--no-probe", options->no_probe,
                    "do not time some products of the host's calibration again, which tells whether it has drifted");
  command->callback([options, &globals] { solve_matrix(*options, globals); });
}

}  // namespace sparsecast::app

// sparsecast solve: how long an iterative solve takes, an iteration and the set-up part by part, and on request the
// truth.

#include <sparsecast/answers/solve.hpp>

#include "app/field_options.hpp"
#include "app/inputs.hpp"
#include "app/terminal/terminal.hpp"
#include "app/texts.hpp"
#include "base/page/text_table.hpp"
#include "base/text.hpp"
#include "fields/answers/solve.hpp"
#include "fields/json.hpp"

namespace sparsecast::app {
namespace {
struct SolveArguments {
  std::string matrix;
  SolveRequest request;
  bool no_probe = false;
};

// A time that would hold a conversion, were it known.
std::string with_conversion(double seconds, bool known) {
  if (known) return base::format_seconds(seconds);
  return seconds > 0 ? base::format_seconds(seconds) + " + ?" : "?";
}

std::string measured_text(const SolveTime& a) {
  if (!a.measured) return {};
  const MeasuredSolve& m = *a.measured;
  std::string text = fmt::format(
      "measured: {} an iteration ({:+.1f} % of the forecast), set-up {}, {} iterations, residual {:.2g}{}\n"
      "residual: {}\n",
      base::format_seconds(m.iteration_s), 100 * (m.iteration_s / a.iteration_s - 1), base::format_seconds(m.setup_s),
      base::format_count(a.iterations), m.residual, m.converged ? "" : ", not converged", m.history);
  for (const double value : m.eigenvalues) text += fmt::format("eigenvalue {:.10g}\n", value);
  return text;
}

std::string choices_text(const SolveTime& a) {
  base::TextTable table({"preconditioner", "threads", "format", "iteration", "set-up", "iterations", "total"});
  table.keys(1);
  for (const SolverChoice& c : a.choices)
    table.add({c.preconditioner, c.threads > 0 ? std::to_string(c.threads) : "–", c.format,
               base::format_seconds(c.iteration_s), with_conversion(c.setup_s, c.conversion_known),
               base::format_count(c.iterations), with_conversion(c.total_s, c.conversion_known)});
  return table.text(layout());
}

std::string solve_text(const SolveTime& a) {
  base::TextTable parts({"part of an iteration", "forecast", "share"});
  for (const SolveTerm& part : a.parts)
    parts.add({std::string(to_string(part.term)), base::format_seconds(part.seconds),
               base::format_percent(part.seconds / a.iteration_s)});
  base::TextTable formats({"format", "iteration", "90 % interval", "set-up", "total"});
  for (const SolveFormat& f : a.formats)
    formats.add({f.format, base::format_seconds(f.iteration_s),
                 base::format_seconds(f.low_s) + " – " + base::format_seconds(f.high_s),
                 with_conversion(f.setup_s, f.conversion_known), with_conversion(f.total_s, f.conversion_known)});
  const SolverChoice& first = a.choices.front();
  return fmt::format(
      "{}, {} with preconditioner {} on {}{}{}\n\n"
      "{}\ntotal: set-up and {} iterations{}\n\n{}\n{}\n{}{}\n{}: {} with {}{}, {} in all\n",
      size_text(a.matrix), a.method, a.preconditioner, a.profile, threads_text(", ", a.threads),
      a.tier == Tier::measured ? "" : fmt::format(" (by {})", to_string(a.tier)), formats.text(layout()),
      base::format_count(a.iterations),
      a.iterations_assumed ? ", which is an assumption: --iterations sets it, --measure counts them" : "",
      parts.text(layout()), (a.trials ? trials_text(*a.trials) : "") + measured_text(a), choices_text(a),
      "iterations with other preconditioners: estimated from other matrices", base::bold("finishes first", layout()),
      first.preconditioner, first.format, threads_text(" on ", first.threads),
      with_conversion(first.total_s, first.conversion_known));
}

void solve_matrix(const SolveArguments& options, const Globals& globals) {
  require_double(globals, "solves are");
  SolveRequest request = options.request;
  request.check_drift = !options.no_probe;
  request.matrix = std::filesystem::path(options.matrix);
  ProgressBar bar(globals);
  tell_globals(request, globals, &bar);
  const SolveTime answer = solve(request);
  globals.json ? print_json("solve", fields::written(answer)) : print(solve_text(answer));
}
}  // namespace

void add_solve(CLI::App& root, const Globals& globals) {
  CLI::App* command =
      root.add_subcommand("solve", "Forecast the time of an iterative solve, part by part; --measure runs it");
  auto options = std::make_shared<SolveArguments>();
  using Q = SolveRequest;
  FieldOptions add(*command, options->request);
  command->add_option("MATRIX", options->matrix, "a matrix file, or ss:GROUP/NAME")->required();
  add.options<&Q::method, &Q::preconditioner, &Q::device, &Q::profile, &Q::shift, &Q::trials>();
  add.option<&Q::iterations>()->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  add.option<&Q::tolerance>()->check(in_range(1e-15, 1.0));
  add.option<&Q::measure>();
  add_probe_option(*command, options->no_probe);
  command->callback([options, &globals] { solve_matrix(*options, globals); });
}
}  // namespace sparsecast::app

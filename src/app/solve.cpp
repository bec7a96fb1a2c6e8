// sparsecast solve: how long an iterative solve takes, an iteration and the set-up part by part, and on request the
// truth.

#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <memory>
#include <nlohmann/json.hpp>
#include <sparsecast/answers/solve.hpp>
#include <sparsecast/error.hpp>

#include "app/commands.hpp"
#include "app/inputs.hpp"
#include "app/terminal/progress_bar.hpp"
#include "app/terminal/terminal.hpp"
#include "app/trials_text.hpp"
#include "base/fields/json.hpp"
#include "base/text.hpp"

namespace sparsecast::app {
namespace {
struct SolveArguments {
  std::string matrix;
  SolveRequest request;
  std::string shift = "none";
  bool no_probe = false;
};

std::string threads_text(const char* before, int threads) {
  return threads > 0 ? fmt::format("{}{} thread{}", before, threads, threads == 1 ? "" : "s") : "";
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
               base::format_seconds(c.iteration_s), base::format_seconds(c.setup_s), base::format_count(c.iterations),
               base::format_seconds(c.total_s)});
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
                 base::format_seconds(f.setup_s), base::format_seconds(f.total_s)});
  const SolverChoice& first = a.choices.front();
  return fmt::format(
      "{}: {} × {}, {} non-zeros, {} with preconditioner {} on {}{}{}\n\n"
      "{}\ntotal: set-up and {} iterations{}\n\n{}\n{}\n{}{}\n{}: {} with {}{}, {} in all\n",
      a.matrix.name, base::format_count(a.matrix.rows), base::format_count(a.matrix.cols),
      base::format_count(a.matrix.nonzeros), a.method, a.preconditioner, a.profile, threads_text(", ", a.threads),
      a.tier == "measured" ? "" : fmt::format(" (by {})", a.tier), formats.text(layout()),
      base::format_count(a.iterations),
      a.iterations_assumed ? ", an assumption: --iterations says how many, --measure counts them" : "",
      parts.text(layout()), (a.trials ? trials_text(*a.trials) : "") + measured_text(a), choices_text(a),
      "iterations with other preconditioners: as they were on other matrices", base::bold("finishes first", layout()),
      first.preconditioner, first.format, threads_text(" on ", first.threads), base::format_seconds(first.total_s));
}

void solve_matrix(const SolveArguments& options, const Globals& globals) {
  if (globals.value_precision() != Precision::double_)
    throw Error(ErrorCode::usage, "solves are in double precision", {}, "leave --precision single away");
  SolveRequest request = options.request;
  request.threads = globals.threads;
  request.shift = options.shift == "spd" ? MatrixShift::spd : MatrixShift::none;
  request.check_drift = !options.no_probe;
  request.matrix = std::filesystem::path(options.matrix);
  ProgressBar bar(globals);
  request.listener = listener_of(globals, &bar);
  const SolveTime answer = solve(request);
  globals.json ? print_json("solve", base::written(answer)) : print(solve_text(answer));
}
}  // namespace

void add_solve(CLI::App& root, const Globals& globals) {
  CLI::App* command = root.add_subcommand("solve", "Time of an iterative solve, part by part; --measure runs it");
  auto options = std::make_shared<SolveArguments>();
  SolveRequest& request = options->request;
  command->add_option("MATRIX", options->matrix, "a matrix file, or ss:GROUP/NAME")->required();
  command
      ->add_option("--method", request.method,
                   "cg, bicgstab, gmres[:restart], chebyshev, jacobi, power, pagerank or lobpcg[:block]")
      ->capture_default_str();
  command->add_option("--preconditioner", request.preconditioner, "none, jacobi, block-jacobi, ic0 or ilu0")
      ->capture_default_str();
  command->add_option("--device", request.device, "host, opencl:N, cuda:N, a profile's or a described machine's name")
      ->capture_default_str();
  command->add_option("--profile", request.profile, "a profile file instead of a device's own measurements");
  command
      ->add_option("--shift", options->shift,
                   "spd: the Laplacian of the pattern's graph plus the identity instead of the matrix")
      ->check(CLI::IsMember({"none", "spd"}))
      ->capture_default_str();
  command->add_option("--trials", request.trials,
                      "measure kernels of the product before one is taken: so many, or auto: those that may still win");
  command
      ->add_option("--iterations", request.iterations,
                   "so many iterations (default: with --measure as many as the tolerance takes, else 500)")
      ->check(CLI::Range(std::int64_t{1}, std::int64_t{100'000'000}));
  command
      ->add_option("--tolerance", request.tolerance,
                   "of the residual, relative to the right-hand side (default: 1e-8, or none with --iterations)")
      ->check(CLI::Range(1e-15, 1.0));
  command->add_flag("--measure", request.measure, "run it by our plan on the host, and show both");
  command->add_flag("--no-probe", options->no_probe,
                    "do not time some products of the host's calibration again, which tells whether it has drifted");
  command->callback([options, &globals] { solve_matrix(*options, globals); });
}
}  // namespace sparsecast::app

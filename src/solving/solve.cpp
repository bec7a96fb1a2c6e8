#include "solving/solve.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"
#include "solving/handover.hpp"
#include "solving/laplacian.hpp"
#include "solving/requirements.hpp"
#include "solving/run/device_cg.hpp"
#include "solving/run/methods.hpp"

namespace sparsecast::solving {
namespace {
constexpr int fewest_repeats = 3, most_repeats = 50;

// Of the rows with entries 1/number, of empty ones 0.
Vector inverse_degrees(const Matrix& matrix) {
  Vector out(static_cast<std::size_t>(matrix.rows()));
  matrix.visit_pattern([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const auto degree = static_cast<double>(csr.row_pointers[row + 1] - csr.row_pointers[row]);
      out[static_cast<std::size_t>(row)] = degree > 0 ? 1 / degree : 0;
    }
  });
  return out;
}

// What the runs of one solve share.
struct Prepared {
  Plan plan;
  std::unique_ptr<Preconditioner> preconditioner;
  Vector extra;  // what jacobi and pagerank multiply by
  SharedRows shared;
};

void run_method(const SolveTask& task, const Prepared& prepared, Problem& problem, History& history,
                SolveResult& result) {
  if (task.device != "host") return run_cg_on_device(problem, task.run, history, result.x);
  switch (task.method.kind()) {
    case MethodKind::cg: return run_cg(problem, history, result.x);
    case MethodKind::bicgstab: return run_bicgstab(problem, history, result.x);
    case MethodKind::gmres: return run_gmres(problem, history, result.x, task.method.parameter);
    case MethodKind::chebyshev: return run_chebyshev(problem, history, result.x);
    case MethodKind::jacobi: return run_jacobi(problem, history, result.x, prepared.extra);
    case MethodKind::power: return run_power(problem, history, result.x, result.eigenvalues);
    case MethodKind::pagerank: return run_pagerank(problem, history, result.x, prepared.extra);
    case MethodKind::lobpcg: return run_lobpcg(problem, history, task.method.parameter, result.eigenvalues);
  }
}

// Where a pass over vectors writes what the product reads. LOBPCG's blocks and the transposed product have ways of
// their own, and preconditioners that are a step write their result themselves.
bool operand_is_handed(const SolveTask& task) {
  const bool step = info_of(task.preconditioner).applied == Preconditioning::step;
  switch (task.method.kind()) {
    case MethodKind::lobpcg:
    case MethodKind::pagerank: return false;
    case MethodKind::bicgstab:
    case MethodKind::gmres: return !step;
    case MethodKind::cg:
    case MethodKind::chebyshev:
    case MethodKind::jacobi:
    case MethodKind::power: break;
  }
  return true;
}

void require_cg_of_reals(const Matrix& matrix, const SolveTask& task) {
  if (runs_on(task.device, task.method, task.preconditioner, matrix.is_complex())) return;
  throw Error(ErrorCode::unavailable, fmt::format("{} solves real systems by cg without a preconditioner", task.device),
              {matrix.name()}, wording::format("use that, or {}", wording::option("device", "host")));
}

// What has converged is the truth's to say, not the method's: ‖b − A·x‖ stays where rounding, or a matrix without an
// inverse, holds it. Where no tolerance is given, the usual one says whether that was a solution.
void judge(const RunOptions& options, const History& history, SolveResult& result) {
  if (result.ending != Ending::converged) return;
  const double tolerance = options.until_tolerance ? history.enough() : RunOptions().tolerance;
  if (result.residual <= tolerance) return;
  result.ending = options.iterations > 0 ? Ending::limit : Ending::stagnated;
  result.reason =
      fmt::format("by the method's own residual it converges, and the true one stays at {:.2g}", result.residual);
}

// Once from x = 0; the time of an iteration.
double run_once(const SolveTask& task, const Prepared& prepared, const Vector& b, SolveResult& result) {
  Sweeps sweeps(std::ssize(b), task.threads, &prepared.shared);
  Problem problem{prepared.plan, *prepared.preconditioner, info_of(task.preconditioner).applied, sweeps, b, 1};
  if (task.device == "host" && !task.dots_apart)
    problem.dots = dots_taken(task.kernel, prepared.plan.rows(), task.threads);
  problem.b_norm = std::max(std::sqrt(problem.dot(b, b)), 1e-300);
  result.x.assign(b.size(), 0.0);
  sweeps.counted = {};
  History history(task.run);
  const bool system = !task.method.info->eigen;
  for (int turn = 0; turn < most_continuations; ++turn) {
    run_method(task, prepared, problem, history, result);
    result.residual = history.residual();
    if (turn == 0) result.counted = sweeps.counted;
    if (!system) break;
    Vector r = problem.vector();
    result.residual = problem.relative(problem.residual(result.x, r));
    if (!history.goes_on_from(result.residual)) break;
  }
  result.iterations = history.iterations();
  result.ending = history.ending();
  result.reason = history.reason();
  judge(task.run, history, result);
  result.residuals = history.residuals();
  result.every = history.every();
  result.history = history.text();
  if (task.method.kind() == MethodKind::chebyshev) result.preconditioner_s += history.preparation_s();
  return history.seconds() / static_cast<double>(std::max<std::int64_t>(1, history.iterations()));
}

std::string_view ending_text(Ending ending) {
  switch (ending) {
    case Ending::stagnated: return "stagnates";
    case Ending::diverged: return "diverges";
    case Ending::broke_down: return "breaks down";
    case Ending::limit:
    case Ending::converged: break;
  }
  return "did not converge";
}
}  // namespace

bool runs_on(const std::string& device, const Method& method, PreconditionerKind preconditioner, bool complex_values) {
  return device == "host" ||
         (method.kind() == MethodKind::cg && preconditioner == PreconditionerKind::none && !complex_values);
}

Matrix matrix_to_solve(const Matrix& matrix, const Method& method, bool spd) {
  Matrix of = spd ? spd_shift(matrix) : matrix;
  if (method.kind() != MethodKind::pagerank) return of;
  return of.visit_pattern([&](const auto& pattern) {
    using Pattern = std::decay_t<decltype(pattern)>;
    Csr<typename Pattern::Offset, typename Pattern::Index> ones;
    ones.rows = pattern.rows;
    ones.cols = pattern.cols;
    ones.row_pointers.assign(pattern.row_pointers.begin(), pattern.row_pointers.end());
    ones.column_indices.assign(pattern.column_indices.begin(), pattern.column_indices.end());
    ones.values.assign(pattern.column_indices.size(), 1.0);
    return Matrix(std::move(ones), of.name());
  });
}

Vector random_right_hand_side(std::int64_t rows) {
  Vector b(static_cast<std::size_t>(rows));
  base::Random random(1);
  for (double& value : b) value = 2 * random.uniform() - 1;
  return b;
}

SolveResult run_solve(const Matrix& matrix, const SolveTask& task, const std::optional<Vector>& given) {
  require_fit(matrix, task.method, task.preconditioner);
  const Vector b = given ? *given : random_right_hand_side(matrix.rows() * numbers_of_value(matrix));
  SolveResult result;
  const Precision precision = matrix.is_complex() ? Precision::complex_double_ : Precision::double_;
  const bool on_host = task.device == "host";
  if (!on_host) require_cg_of_reals(matrix, task);
  // The host's kernels are looked up here, another device's when it prepares the product.
  const std::string known = on_host ? task.kernel : std::string(formats::default_kernel().name);
  Strategy strategy = one_kernel(matrix, known, precision, task.threads);
  strategy.device = task.device;
  strategy.blocks.front().kernel = strategy.best_single.kernel = task.kernel;
  Prepared prepared{Plan(matrix, strategy), nullptr, {}, {}};
  result.conversion_s = prepared.plan.conversion_seconds();
  const double start = base::now_s();
  prepared.preconditioner = make_preconditioner(matrix, task.preconditioner, task.threads, task.method.info->definite);
  if (task.method.kind() == MethodKind::jacobi) prepared.extra = inverse_diagonal(matrix);
  if (task.method.kind() == MethodKind::pagerank) prepared.extra = inverse_degrees(matrix);
  if (on_host && operand_is_handed(task) && !matrix.is_complex() &&
      line_cost(task.threads).stores() == formats::Stores::around)
    prepared.shared = SharedRows(matrix, task.threads);
  const double preconditioner_s = base::now_s() - start;
  std::vector<double> times, whole;
  double spent = 0;
  do {
    result.preconditioner_s = preconditioner_s;
    const double before = base::now_s();
    times.push_back(run_once(task, prepared, b, result));
    whole.push_back(base::now_s() - before);
    spent += whole.back();
  } while (task.repeat_s > 0 && static_cast<int>(times.size()) < most_repeats &&
           (spent < task.repeat_s || (static_cast<int>(times.size()) < fewest_repeats && spent < 4 * task.repeat_s)));
  result.iteration_s = base::median(times);
  result.run_s = base::median(whole);
  return result;
}

void require_solved(const SolveResult& result, const SolveTask& task, const std::string& matrix) {
  if (result.ending == Ending::converged || (result.ending == Ending::limit && task.run.iterations > 0)) return;
  throw Error(
      ErrorCode::failed,
      fmt::format("{} {} after {} iterations with {}{}; residual: {}", task.method.name(), ending_text(result.ending),
                  base::format_count(result.iterations), name_of(task.preconditioner),
                  result.reason.empty() ? "" : " (" + result.reason + ")", result.history),
      {matrix}, "use another preconditioner or method, or " + asking_for_spd());
}
}  // namespace sparsecast::solving

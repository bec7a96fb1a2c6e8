#include "solving/solve.hpp"

#include <fmt/format.h>
#include <sys/sysinfo.h>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/clock.hpp"
#include "base/median.hpp"
#include "base/random.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "formats/kernels.hpp"
#include "hardware/host/bound_team.hpp"
#include "solving/requirements.hpp"
#include "solving/run/device_cg.hpp"

namespace sparsecast::solving {
namespace {
constexpr int fewest_repeats = 3, most_repeats = 50;
// The residual that a method carries along drifts from the true one by rounding; where it was too hopeful, on from x.
constexpr int most_continuations = 5;

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
  if (task.method.kind() == MethodKind::cg && task.preconditioner == PreconditionerKind::none && !matrix.is_complex())
    return;
  throw Error(ErrorCode::unavailable, fmt::format("{} solves real systems by cg without a preconditioner", task.device),
              {matrix.name()}, wording::format("take that, or {}", wording::option("device", "host")));
}

// Once from x = 0; the time of an iteration.
double run_once(const SolveTask& task, const Prepared& prepared, const Vector& b, SolveResult& result) {
  Sweeps sweeps(std::ssize(b), task.threads, &prepared.shared);
  Problem problem{prepared.plan, *prepared.preconditioner, info_of(task.preconditioner).applied, sweeps, b, 1};
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
    if (history.ending() != Ending::converged || !task.run.until_tolerance || result.residual <= task.run.tolerance)
      break;
  }
  result.iterations = history.iterations();
  result.ending = history.ending();
  result.reason = history.reason();
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
  return "is not done";
}

// Of the lines of x, which part `part` of the product reads: 1.
template <class Pattern>
std::vector<char> lines_read(const Pattern& csr, const std::vector<std::int64_t>& bounds, int part,
                             std::int64_t of_line) {
  std::vector<char> read(static_cast<std::size_t>((csr.cols + of_line - 1) / of_line), 0);
  const auto end = csr.row_pointers[bounds[static_cast<std::size_t>(part) + 1]];
  for (auto k = csr.row_pointers[bounds[static_cast<std::size_t>(part)]]; k < end; ++k)
    read[static_cast<std::size_t>(csr.column_indices[k] / of_line)] = 1;
  return read;
}

constexpr std::int64_t line = 8, lines_of_part = 512;
constexpr int warm = 2, repeats = 12;

// The vectors of cg's last pass, and the order in which a product might come by the lines of its operand.
struct Trial {
  Trial(std::int64_t rows, int threads)
      : x(static_cast<std::size_t>(rows), 1.0), p(x), m(x), r(x), sums(static_cast<std::size_t>(threads) * line) {
    order.resize(static_cast<std::size_t>(rows / line));
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<std::int32_t>(i * line);
    base::Random random(1);
    // Shuffled among the lines of their writer, so that the order is no stream.
    for (std::size_t i = 0; i < order.size(); ++i)
      std::swap(order[i], order[i / lines_of_part * lines_of_part +
                                static_cast<std::size_t>(random.uniform() * lines_of_part) % lines_of_part]);
  }
  Vector x, p, m, r, sums;
  std::vector<std::int32_t> order;
};

// The lower quartile of some turns of a pass by all threads and a reading of its result. `apart`: every thread reads
// its own lines as often as there are threads, so that nothing is handed over and everything else is the same.
double turn_s(Trial& trial, int threads, formats::Stores stores, bool apart) {
  const formats::VectorLoops& loops = formats::vector_loops(stores);
  const auto rows = static_cast<std::int64_t>(trial.p.size());
  std::vector<double> times;
  for (int k = 0; k < warm + repeats; ++k) {
    const double start = base::now_s();
    formats::for_each_part(threads, [&](int part) {
      const std::int64_t first = pass_begin(rows, part, threads), last = pass_begin(rows, part + 1, threads);
      loops.step_and_turn_scaled(last - first, 1e-9, 0.5, trial.m.data() + first, trial.r.data() + first,
                                 trial.x.data() + first, trial.p.data() + first);
    });
    formats::for_each_part(threads, [&](int part) {
      double sum = 0;
      for (int of = 0; of < threads; ++of) {
        const int from = apart ? part : (part + of) % threads;
        for (std::int64_t l = pass_begin(rows, from, threads) / line; l < pass_begin(rows, from + 1, threads) / line;
             ++l)
          sum += trial.p[static_cast<std::size_t>(trial.order[static_cast<std::size_t>(l)])];
      }
      trial.sums[static_cast<std::size_t>(part * line)] = sum;
    });
    if (k >= warm) times.push_back(base::now_s() - start);
  }
  std::ranges::sort(times);
  return times[repeats / 4];
}
}  // namespace

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
  prepared.preconditioner = make_preconditioner(matrix, task.preconditioner, task.threads);
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
      {matrix}, "take another preconditioner or method, or " + asking_for_spd());
}

SharedRows::SharedRows(const Matrix& matrix, int threads) {
  if (threads <= 1 || matrix.rows() != matrix.cols() || matrix.rows() == 0) return;
  const std::int64_t rows = matrix.rows();
  std::vector<std::vector<char>> read(static_cast<std::size_t>(threads));
  matrix.visit_pattern([&](const auto& csr) {
    const std::vector<std::int64_t> bounds = formats::rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    formats::for_each_part(
        threads, [&](int part) { read[static_cast<std::size_t>(part)] = lines_read(csr, bounds, part, line); });
  });
  stretches_.assign(static_cast<std::size_t>((rows + stretch - 1) / stretch), 0);
  std::vector<double> foreign(static_cast<std::size_t>(threads), 0);
  for (std::size_t s = 0; s < stretches_.size(); ++s) {
    const std::int64_t first = static_cast<std::int64_t>(s) * stretch / line;
    const std::int64_t last = std::min(first + stretch / line, (rows + line - 1) / line);
    std::int64_t shared = 0;
    for (std::int64_t l = first; l < last; ++l) {
      bool by_others = false;
      for (int part = 0; part < threads; ++part) {
        const bool own = l * line >= pass_begin(rows, part, threads) && l * line < pass_begin(rows, part + 1, threads);
        if (own || read[static_cast<std::size_t>(part)][static_cast<std::size_t>(l)] == 0) continue;
        by_others = true;
        foreign[static_cast<std::size_t>(part)] += 1;
      }
      shared += by_others ? 1 : 0;
    }
    stretches_[s] = 2 * shared >= last - first ? 1 : 0;
  }
  lines_ = *std::ranges::max_element(foreign);
}

std::int64_t SharedRows::end_of_stretch(std::int64_t row) const {
  auto s = static_cast<std::size_t>(row / stretch);
  const char like = stretches_[s];
  while (s < stretches_.size() && stretches_[s] == like) ++s;
  return static_cast<std::int64_t>(s) * stretch;
}

LineCost line_cost(int threads) {
  if (threads <= 1 || threads > get_nprocs()) return {};
  Trial trial(threads * lines_of_part * line, threads);
  const auto foreign = static_cast<double>((threads - 1) * lines_of_part);
  const double alone = turn_s(trial, threads, formats::Stores::kept, true);
  return {.kept_s = std::max(0.0, turn_s(trial, threads, formats::Stores::kept, false) - alone) / foreign,
          .around_s = std::max(0.0, turn_s(trial, threads, formats::Stores::around, false) - alone) / foreign};
}

Handover measured_handover(const Matrix& matrix, int threads) {
  if (threads <= 1) return {};
  const hardware::BoundTeam bound(threads);
  const double lines = SharedRows(matrix, threads).lines();
  return {.lines = matrix.is_complex() ? 2 * lines : lines, .line_s = line_cost(threads).best_s()};
}
}  // namespace sparsecast::solving

#include "solving/method.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>

#include "base/number.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "matrix/order/symmetric_graph.hpp"
#include "solving/requirements.hpp"

namespace sparsecast::solving {
Amounts& Amounts::operator+=(const Amounts& other) {
  products += other.products;
  transposed += other.transposed;
  preconditions += other.preconditions;
  reads += other.reads;
  writes += other.writes;
  sums += other.sums;
  passes += other.passes;
  return *this;
}

Amounts Amounts::over(double iterations) const {
  return {products / iterations, transposed / iterations, preconditions / iterations, reads / iterations,
          writes / iterations,   sums / iterations,       passes / iterations};
}

Amounts amounts_of(const std::vector<Step>& steps) {
  Amounts all;
  for (const Step& step : steps) {
    switch (step.kind) {
      case StepKind::product: all.products += step.times; break;
      case StepKind::transposed: all.transposed += step.times; break;
      case StepKind::precondition: all.preconditions += step.times; break;
      case StepKind::pass:
        all.passes += step.times;
        all.sums += step.sums > 0 ? step.times : 0;
        for (const Stream& stream : step.reads) all.reads += step.times * stream.count;
        for (const Stream& stream : step.writes) all.writes += step.times * stream.count;
        break;
    }
  }
  return all;
}

namespace {
constexpr int most_restart = 1000, most_block = 64;

constexpr auto methods = std::to_array<MethodInfo>({
#define SOLVE_METHOD(word, about, ...) \
  {.kind = MethodKind::word, .name = #word, .summary = about __VA_OPT__(, ) __VA_ARGS__},
#include "solving/methods.def"
});

constexpr Term updates = Term::vector_updates, reductions = Term::reductions, orthogonal = Term::orthogonalisation;

// The names of vectors: x the solution, b the right-hand side, r the residual, m the diagonal of a preconditioner.
Step product(char from, char to, double vectors = 1) {
  return {.kind = StepKind::product, .part = Term::products, .reads = {{from, vectors}}, .writes = {{to, vectors}}};
}
Step precondition(char from, char to, double vectors = 1) {
  return {.kind = StepKind::precondition,
          .part = Term::preconditioner,
          .reads = {{from, vectors}},
          .writes = {{to, vectors}}};
}
std::vector<Stream> streams(std::string_view names) {
  std::vector<Stream> all;
  for (const char name : names) all.push_back({name});
  return all;
}
// A pass that reads and writes these vectors and ends in so many sums.
Step pass(Term part, std::string_view reads, std::string_view writes, int sums = 0, double times = 1) {
  return {.kind = StepKind::pass,
          .part = part,
          .reads = streams(reads),
          .writes = streams(writes),
          .sums = sums,
          .times = times};
}

std::vector<Step> cg_steps(Preconditioning with) {
  std::vector<Step> steps{product('p', 'q'), pass(reductions, "pq", "", 1)};
  switch (with) {
    case Preconditioning::none:
      steps.insert(steps.end(), {pass(updates, "qr", "r", 1), pass(updates, "rxp", "xp")});
      break;
    case Preconditioning::diagonal:
      steps.insert(steps.end(), {pass(updates, "qmr", "r", 2), pass(updates, "mrxp", "xp")});
      break;
    case Preconditioning::step:
      steps.insert(steps.end(), {pass(updates, "qr", "r", 1), precondition('r', 'z'), pass(reductions, "rz", "", 1),
                                 pass(updates, "zxp", "xp")});
      break;
  }
  return steps;
}

std::vector<Step> bicgstab_steps(Preconditioning with) {
  switch (with) {
    case Preconditioning::none:
      return {pass(updates, "rvp", "p"),      product('p', 'v'), pass(reductions, "gv", "", 1),
              pass(updates, "vr", "r"),       product('r', 't'), pass(reductions, "rt", "", 2),
              pass(updates, "ptgxr", "xr", 2)};
    case Preconditioning::diagonal:
      return {pass(updates, "rvmp", "py"),     product('y', 'v'), pass(reductions, "gv", "", 1),
              pass(updates, "vmr", "rs"),      product('s', 't'), pass(reductions, "rt", "", 2),
              pass(updates, "ystgxr", "xr", 2)};
    case Preconditioning::step: break;
  }
  return {pass(updates, "rvp", "p"),       precondition('p', 'y'), product('y', 'v'), pass(reductions, "gv", "", 1),
          pass(updates, "vr", "r"),        precondition('r', 's'), product('s', 't'), pass(reductions, "rt", "", 2),
          pass(updates, "ystgxr", "xr", 2)};
}

// The mean of the steps j = 1 … m of a restart: w is held against j vectors of the basis, which are read twice.
std::vector<Step> gmres_steps(int restart, Preconditioning with) {
  const double m = restart, basis = (m + 1) / 2, each = 1 / m;
  std::vector<Step> steps;
  const auto apply = [&](char from, char to, double times) {
    if (with == Preconditioning::none) return;
    steps.push_back(with == Preconditioning::diagonal ? pass(updates, std::string{'m', from}, std::string(1, to))
                                                      : precondition(from, to));
    steps.back().times = times;
  };
  apply('v', 'z', 1);
  steps.push_back(product(with == Preconditioning::none ? 'v' : 'z', 'w'));
  steps.push_back({.kind = StepKind::pass, .part = orthogonal, .reads = {{'B', basis}, {'w'}}, .sums = 1});
  steps.push_back(
      {.kind = StepKind::pass, .part = orthogonal, .reads = {{'B', basis}, {'w'}}, .writes = {{'w'}}, .sums = 1});
  steps.push_back(pass(orthogonal, "w", "w"));
  // Once a restart: x from the basis, and the true residual, which begins the next one.
  steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'B', m}}, .writes = {{'u'}}, .times = each});
  apply('u', 'z', each);
  steps.push_back(pass(updates, with == Preconditioning::none ? "ux" : "zx", "x", 0, each));
  steps.push_back(product('x', 'r'));
  steps.back().times = each;
  steps.insert(steps.end(), {pass(updates, "br", "r", 1, each), pass(updates, "r", "v", 0, each)});
  return steps;
}

std::vector<Step> chebyshev_steps(Preconditioning with) {
  std::vector<Step> steps{product('d', 'q'), pass(updates, "qr", "r", 1)};
  if (with == Preconditioning::step) steps.push_back(precondition('r', 'z'));
  steps.push_back(with == Preconditioning::diagonal ? pass(updates, "mrdx", "dx")
                  : with == Preconditioning::step   ? pass(updates, "zdx", "dx")
                                                    : pass(updates, "rdx", "dx"));
  return steps;
}

// Blocks of k vectors x, w, p and their products X, W, P: Gram matrices of all three, then new blocks of x and p.
std::vector<Step> lobpcg_steps(int block, Preconditioning with) {
  const double k = block;
  std::vector<Step> steps;
  // r = A·x − x·λ and its norms
  steps.push_back({.kind = StepKind::pass,
                   .part = updates,
                   .reads = {{'x', k}, {'X', k}},
                   .writes = {{'r', k}},
                   .sums = 1,
                   .flops = 4 * k});
  if (with == Preconditioning::none) {
    steps.push_back(product('r', 'W', k));
  } else {
    if (with == Preconditioning::diagonal) {
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'m'}, {'r', k}}, .writes = {{'r', k}}});
    } else {
      // Vector by vector, out of the block and back.
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'r', k}}, .writes = {{'y'}}, .times = k});
      steps.push_back(precondition('y', 'z'));
      steps.back().times = k;
      steps.push_back({.kind = StepKind::pass, .part = updates, .reads = {{'z'}}, .writes = {{'r', k}}, .times = k});
    }
    steps.push_back(product('r', 'W', k));
  }
  const std::vector<Stream> bases{{'x', k}, {'r', k}, {'p', k}}, images{{'X', k}, {'W', k}, {'P', k}};
  std::vector<Stream> both = bases;
  both.insert(both.end(), images.begin(), images.end());
  steps.push_back({.kind = StepKind::pass, .part = orthogonal, .reads = both, .sums = 1, .flops = 36 * k * k});
  steps.push_back({.kind = StepKind::pass,
                   .part = updates,
                   .reads = both,
                   .writes = {{'x', k}, {'p', k}, {'X', k}, {'P', k}},
                   .flops = 24 * k * k});
  return steps;
}

// Of two entries that are to be equal; matrices are written with so many digits and more.
constexpr double same_within = 1e-12;

[[noreturn]] void refuse(const Matrix& matrix, const std::string& reason, const wording::Text& remedy) {
  throw Error(ErrorCode::bad_input, reason, {matrix.name()}, remedy);
}

template <class Value>
auto conjugate(Value value) {
  if constexpr (is_complex_value<Value>) {
    return std::conj(value);
  } else {
    return value;
  }
}

// The first entry without its equal, or its conjugate, across the diagonal. Rows are gone through in order, so the
// entries of column j below the diagonal are met in the order in which they stand in row j.
void require_symmetric(const Matrix& matrix, std::string_view who) {
  matrix.visit_any([&](const auto& csr) {
    const auto differ = [&](std::int64_t row, std::int64_t column) {
      refuse(matrix,
             fmt::format("{} asks for a {} matrix; entries ({}, {}) and ({}, {}) differ", who,
                         matrix.is_complex() ? "Hermitian" : "symmetric", row + 1, column + 1, column + 1, row + 1),
             (matrix.is_complex() ? "give SciPy's solvers its plan, or " : "take bicgstab or gmres, or ") +
                 asking_for_spd());
    };
    Array<std::int64_t> next(static_cast<std::size_t>(csr.rows));
    for (std::int64_t row = 0; row < csr.rows; ++row)
      next[static_cast<std::size_t>(row)] = static_cast<std::int64_t>(csr.row_pointers[row]);
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      for (std::int64_t k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const std::int64_t column = csr.column_indices[k];
        std::int64_t& across = next[static_cast<std::size_t>(column)];
        if (across >= csr.row_pointers[column + 1] || csr.column_indices[across] != row) differ(row, column);
        const auto a = csr.values[k], b = conjugate(csr.values[across]);
        if (std::abs(a - b) > same_within * std::max<double>(std::abs(a), std::abs(b))) differ(row, column);
        ++across;
      }
    }
  });
}

template <class Offset>
Csr<Offset, std::int32_t> laplacian(const matrix::Graph& graph) {
  Csr<Offset, std::int32_t> out;
  out.rows = out.cols = graph.vertices();
  out.row_pointers.reserve(graph.pointers.size());
  out.row_pointers.push_back(0);
  out.column_indices.reserve(graph.neighbours.size() + graph.pointers.size());
  for (std::int32_t row = 0; row < graph.vertices(); ++row) {
    const std::span<const std::int32_t> neighbours = graph.of(row);
    const auto beyond = std::ranges::lower_bound(neighbours, row);
    out.column_indices.insert(out.column_indices.end(), neighbours.begin(), beyond);
    out.column_indices.push_back(row);
    out.column_indices.insert(out.column_indices.end(), beyond, neighbours.end());
    for (std::size_t k = out.values.size(); k < out.column_indices.size(); ++k)
      out.values.push_back(out.column_indices[k] == row ? static_cast<double>(neighbours.size() + 1) : -1.0);
    out.row_pointers.push_back(static_cast<Offset>(out.column_indices.size()));
  }
  return out;
}
}  // namespace

std::string Method::name() const {
  return parameter > 0 ? fmt::format("{}:{}", info->name, parameter) : std::string(info->name);
}

std::span<const MethodInfo> method_table() { return methods; }

Method parse_method(std::string_view text) {
  const std::string_view name = text.substr(0, text.find(':'));
  const auto found = std::ranges::find(methods, name, &MethodInfo::name);
  if (found == methods.end()) {
    std::string names;
    for (const MethodInfo& method : methods)
      names += fmt::format("{}{}{}", names.empty() ? "" : ", ", method.name,
                           method.parameter > 0 ? fmt::format("[:{}]", method.parameter) : "");
    throw Error(ErrorCode::usage, fmt::format("there is no method '{}'", text), {}, "the methods are " + names);
  }
  Method method{&*found, found->parameter};
  if (name.size() == text.size()) return method;
  method.parameter = base::number_in<int>(text.substr(name.size() + 1)).value_or(0);
  const int most = found->kind == MethodKind::gmres ? most_restart : most_block;
  if (found->parameter == 0 || method.parameter < 1 || method.parameter > most)
    throw Error(ErrorCode::usage, fmt::format("'{}' is no method with its parameter", text), {},
                found->parameter == 0 ? fmt::format("{} takes none", name)
                                      : fmt::format("a number from 1 to {} follows the colon", most));
  return method;
}

std::vector<Step> steps_of(const Method& method, Preconditioning with) {
  switch (method.kind()) {
    case MethodKind::cg: return cg_steps(with);
    case MethodKind::bicgstab: return bicgstab_steps(with);
    case MethodKind::gmres: return gmres_steps(method.parameter, with);
    case MethodKind::chebyshev: return chebyshev_steps(with);
    case MethodKind::jacobi: return {product('x', 'q'), pass(updates, "bqmx", "x", 1)};
    case MethodKind::power: return {product('x', 'y'), pass(reductions, "xy", "", 2), pass(updates, "yx", "x", 1)};
    case MethodKind::pagerank:
      return {{.kind = StepKind::transposed, .part = Term::transposed_products, .reads = {{'s'}}, .writes = {{'y'}}},
              pass(updates, "ymx", "xs", 2)};
    case MethodKind::lobpcg: break;
  }
  return lobpcg_steps(method.parameter, with);
}

double vectors_held(const Method& method, Preconditioning with) {
  std::set<char> seen;
  double held = 0;
  for (const Step& step : steps_of(method, with))
    for (const std::vector<Stream>* side : {&step.reads, &step.writes})
      for (const Stream& stream : *side)
        if (stream.name != 'B' && seen.insert(stream.name).second) held += stream.count;
  return held + (method.kind() == MethodKind::gmres ? method.parameter : 0);
}

Array<double> diagonal_of(const Matrix& matrix) {
  Array<double> diagonal(static_cast<std::size_t>(matrix.rows()), 0.0);
  matrix.visit_any([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      const auto* begin = csr.column_indices.data() + csr.row_pointers[row];
      const auto* end = csr.column_indices.data() + csr.row_pointers[row + 1];
      const auto* found = std::lower_bound(begin, end, row);
      if (found != end && *found == row)
        diagonal[static_cast<std::size_t>(row)] = std::real(csr.values[found - csr.column_indices.data()]);
    }
  });
  return diagonal;
}

Array<double> inverse_diagonal(const Matrix& matrix) {
  Array<double> inverse;
  for (const double value : diagonal_of(matrix)) inverse.insert(inverse.end(), numbers_of_value(matrix), 1 / value);
  return inverse;
}

void require_fit(const Matrix& matrix, const Method& method, PreconditionerKind preconditioner) {
  const std::string name = method.name();
  if (preconditioner != PreconditionerKind::none && !method.info->preconditions)
    throw Error(ErrorCode::usage, fmt::format("{} takes no preconditioner", name), {},
                wording::format("omit {}", wording::option("preconditioner")));
  if (matrix.rows() != matrix.cols())
    refuse(matrix,
           fmt::format("{} asks for a square matrix and this has {} rows and {} columns", name,
                       base::format_count(matrix.rows()), base::format_count(matrix.cols())),
           "solve the normal equations, or take a square matrix");
  if (matrix.is_complex() && (!method.info->symmetric || method.info->eigen))
    refuse(matrix, fmt::format("{} solves real systems, and the values are complex", name),
           "take cg or chebyshev for a Hermitian matrix, or give SciPy's solvers its plan");
  if (matrix.is_complex() && preconditioner != PreconditionerKind::none && preconditioner != PreconditionerKind::jacobi)
    refuse(matrix, fmt::format("{} is made of real values, and these are complex", name_of(preconditioner)),
           wording::format("take {} jacobi or none", wording::option("preconditioner")));
  if (matrix.rows() == 0) refuse(matrix, "there is nothing to solve in a matrix without rows", "take another matrix");
  const bool ic0 = preconditioner == PreconditionerKind::ic0;
  const Array<double> diagonal = diagonal_of(matrix);
  const auto zero = std::ranges::find(diagonal, 0.0);
  const bool divides = method.info->diagonal || preconditioner == PreconditionerKind::jacobi || ic0 ||
                       preconditioner == PreconditionerKind::ilu0;
  if (divides && zero != diagonal.end())
    refuse(
        matrix,
        fmt::format("{} divides by the diagonal, which is zero in row {}",
                    method.info->diagonal ? name : std::string(name_of(preconditioner)), zero - diagonal.begin() + 1),
        wording::format("take {} none or block-jacobi, or {}", wording::option("preconditioner"), asking_for_spd()));
  if (method.info->symmetric || ic0) require_symmetric(matrix, method.info->symmetric ? name : "ic0");
  if (!method.info->positive && !ic0) return;
  const auto low = std::ranges::find_if(diagonal, [](double value) { return !(value > 0); });
  if (low != diagonal.end())
    refuse(matrix,
           fmt::format("{} asks for a positive definite matrix; the diagonal is {:g} in row {}",
                       method.info->positive ? name : "ic0", *low, low - diagonal.begin() + 1),
           "take bicgstab or gmres, or " + asking_for_spd());
}

Matrix spd_shift(const Matrix& matrix) {
  if (matrix.rows() != matrix.cols())
    throw Error(
        ErrorCode::bad_input,
        fmt::format("a matrix of {} rows and {} columns has no graph's Laplacian", matrix.rows(), matrix.cols()),
        {matrix.name()}, asking_for_spd() + " takes square matrices");
  const matrix::Graph graph = matrix::symmetric_graph(matrix);
  const std::string name = matrix.name() + "+spd";
  const bool narrow = Matrix::fits32(static_cast<std::int64_t>(graph.neighbours.size()) + matrix.rows());
  return narrow ? Matrix(laplacian<std::int32_t>(graph), name) : Matrix(laplacian<std::int64_t>(graph), name);
}
}  // namespace sparsecast::solving

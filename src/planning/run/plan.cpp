// Plan: what callers hand over is checked here, then a Runner carries it out.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "base/small_floats.hpp"
#include "base/threads.hpp"
#include "formats/kernels.hpp"
#include "planning/run/plan_runner.hpp"
#include "planning/search/cost.hpp"

namespace sparsecast {
namespace {
using planning::Call;

void check_blocks(const Strategy& strategy, const Matrix& matrix) {
  std::int64_t row = 0;
  for (const PlannedBlock& block : strategy.blocks) {
    if (block.first_row != row || block.last_row < block.first_row - (matrix.rows() == 0 ? 1 : 0))
      throw Error(ErrorCode::usage, fmt::format("the blocks of a plan do not follow each other at row {}", row));
    row = block.last_row + 1;
  }
  if (strategy.blocks.empty() || row != matrix.rows())
    throw Error(ErrorCode::usage, fmt::format("the blocks of a plan cover {} rows of {}", row, matrix.rows()));
}

// A strategy is a plain struct, and memory is set aside for each thread.
void check_threads(int threads) {
  const int most = base::thread_count(std::max(1, threads));
  if (threads > most)
    throw Error(ErrorCode::usage, fmt::format("the strategy has {} threads", threads), {},
                fmt::format("use at most {}", most));
}

// Rows and columns of what is multiplied: A, or its transpose.
struct Shape {
  std::int64_t rows, cols;
};
Shape shape_of(const Plan& plan, bool transposed) {
  return transposed ? Shape{plan.cols(), plan.rows()} : Shape{plan.rows(), plan.cols()};
}

template <class X, class Y>
bool overlap(std::span<X> x, std::span<Y> y) {
  const std::less<const void*> before;
  return !x.empty() && !y.empty() && before(x.data(), y.data() + y.size()) && before(y.data(), x.data() + x.size());
}

[[noreturn]] void refuse_overlap() { throw Error(ErrorCode::usage, "x and y overlap", {}, "give y memory of its own"); }

template <class Value>
void check_vectors(const Shape& shape, std::span<const Value> x, std::span<Value> y) {
  if (static_cast<std::int64_t>(x.size()) != shape.cols || static_cast<std::int64_t>(y.size()) != shape.rows)
    throw Error(ErrorCode::usage, fmt::format("x has {} and y {} entries, and should have {} and {}", x.size(),
                                              y.size(), shape.cols, shape.rows));
  if (overlap(x, y)) refuse_overlap();
}

// The block as strides; its data that are in use.
template <class Value>
struct Checked {
  formats::Vectors<Value> vectors;
  std::span<Value> used;
  std::int64_t run = 0, leading = 0;  // entries side by side, and from one such run to the next
};

template <class Value>
Checked<Value> checked(const VectorBlock<Value>& block, std::int64_t length, const char* name) {
  if (block.vectors < 1) throw Error(ErrorCode::usage, fmt::format("the block {} has {} vectors", name, block.vectors));
  const bool by_rows = block.order == BlockOrder::row_major;
  const std::int64_t run = by_rows ? block.vectors : length, runs = by_rows ? length : block.vectors;
  const std::int64_t leading = block.leading == 0 ? run : block.leading;
  if (leading < run)
    throw Error(ErrorCode::usage,
                fmt::format("the leading dimension of the block {} is {}, less than {}", name, leading, run));
  const std::int64_t needed =
      length == 0 ? 0 : formats::saturating_sum(formats::saturating_product(runs - 1, leading), run);
  if (static_cast<std::int64_t>(block.data.size()) < needed)
    throw Error(ErrorCode::usage, fmt::format("the block {} has {} entries, and {} vectors of {} take {}", name,
                                              block.data.size(), block.vectors, length, needed));
  Checked<Value> result{{block.data.data(), length, block.vectors, by_rows ? leading : 1, by_rows ? 1 : leading},
                        block.data.first(static_cast<std::size_t>(needed)),
                        run,
                        leading};
  return result;
}

// Blocks with gaps may lie in one another's: columns of one dense matrix, say.
template <class Value>
bool interleaved(const Checked<const Value>& x, const Checked<Value>& y) {
  if (x.leading != y.leading || (x.vectors.row_stride == 1) != (y.vectors.row_stride == 1)) return false;
  std::int64_t between = (y.used.data() - x.used.data()) % x.leading;
  if (between < 0) between += x.leading;
  return between >= x.run && between + y.run <= x.leading;
}

template <class Value>
void check_precision(const Plan& plan) {
  if (plan.strategy().precision != precision_of<Value>) planning::refuse_precision(plan.strategy().precision);
}

template <class Value>
void apply_vector(const Plan& plan, std::span<const Value> x, std::span<Value> y, Value alpha, Value beta,
                  bool transposed) {
  const Shape shape = shape_of(plan, transposed);
  check_vectors(shape, x, y);
  const planning::Runner& runner = planning::Runner::of(plan);
  const planning::Pace::Look look(runner.pace, 1, transposed);
  if constexpr (!is_complex_value<Value>)
    if (!transposed && alpha == 1 && beta == 0) return runner.apply(x, y);
  runner.run(Call<Value>{{alpha, beta}, {x.data(), shape.cols}, {y.data(), shape.rows}, transposed});
}

template <class Value>
void apply_vectors(const Plan& plan, const VectorBlock<const Value>& x, const VectorBlock<Value>& y, Value alpha,
                   Value beta, bool transposed) {
  check_precision<Value>(plan);
  const Shape shape = shape_of(plan, transposed);
  const Checked<const Value> from = checked(x, shape.cols, "x");
  const Checked<Value> to = checked(y, shape.rows, "y");
  if (x.vectors != y.vectors)
    throw Error(ErrorCode::usage, fmt::format("x has {} vectors and y has {}", x.vectors, y.vectors));
  if (overlap(from.used, to.used) && !interleaved(from, to)) refuse_overlap();
  if (shape.rows == 0) return;  // of vectors without entries there may be any number, in no memory
  const planning::Runner& runner = planning::Runner::of(plan);
  const planning::Pace::Look look(runner.pace, x.vectors, transposed);
  runner.run(Call<Value>{{alpha, beta}, from.vectors, to.vectors, transposed});
}

template <class Value>
void gram(const Plan& plan, std::span<const Value> x, std::span<Value> y) {
  check_precision<Value>(plan);
  check_vectors({plan.cols(), plan.cols()}, x, y);
  const planning::Runner& runner = planning::Runner::of(plan);
  runner.gram.apply(runner, x, y);
}

template <class Value>
formats::DotSums<Value> with_dots(const Plan& plan, std::span<const Value> x, std::span<Value> y,
                                  std::span<const Value> w, Value alpha, Value beta) {
  check_precision<Value>(plan);
  const Shape shape = shape_of(plan, false);
  check_vectors(shape, x, y);
  const std::span<const Value> with = w.empty() && shape.rows == shape.cols ? x : w;
  if (static_cast<std::int64_t>(with.size()) != shape.rows)
    throw Error(ErrorCode::usage, fmt::format("w has {} entries, and y has {}", with.size(), shape.rows));
  if (overlap(with, y)) throw Error(ErrorCode::usage, "w and y overlap", {}, "give y memory of its own");
  const planning::Runner& runner = planning::Runner::of(plan);
  const Call<Value> call{{alpha, beta}, {x.data(), shape.cols}, {y.data(), shape.rows}};
  formats::DotSums<Value> sums;
  if (runner.run_with_dots(call, with, sums)) return sums;
  runner.run(call);
  return formats::dots_apart<Value>(with, y, runner.strategy.threads);
}

// Aᴴ·x is the conjugate of Aᵀ·(the conjugate of x).
template <class Value>
void adjoint(const Plan& plan, std::span<const Value> x, std::span<Value> y, Value alpha, Value beta) {
  const auto turn = [](Value value) { return std::conj(value); };
  check_precision<Value>(plan);  // before y is changed
  check_vectors(shape_of(plan, true), x, y);
  Array<Value> turned(x.size());
  std::ranges::transform(x, turned.begin(), turn);
  if (beta != Value{0}) std::ranges::transform(y, y.begin(), turn);
  apply_vector(plan, std::span<const Value>(turned), y, std::conj(alpha), std::conj(beta), true);
  std::ranges::transform(y, y.begin(), turn);
}
}  // namespace

void planning::refuse_precision(Precision have) {
  throw Error(ErrorCode::usage, fmt::format("the plan is in {} precision and the vectors are not", to_string(have)), {},
              "plan in the precision of the vectors");
}

std::shared_ptr<planning::Runner> planning::make_runner(const Matrix& matrix, Strategy strategy,
                                                        const RunnerMaking& making) {
  check_blocks(strategy, matrix);
  check_threads(strategy.threads);
  if (strategy.transpose) return pair_runner(std::move(strategy), matrix);
  if (strategy.device != "host") return device_runner(std::move(strategy), matrix, making);
  strategy.threads = std::max(1, strategy.threads);
  return host_runner(std::move(strategy), matrix, making);
}

std::shared_ptr<planning::Runner> planning::with_powers(std::shared_ptr<Runner> runner, const Matrix& matrix) {
  runner->powers = HeldPowers(matrix, runner->strategy);
  return runner;
}

Plan::Plan(const Matrix& matrix, Strategy strategy)
    : runner_(planning::with_powers(planning::make_runner(matrix, std::move(strategy)), matrix)) {
  runner_->pace.promise(runner_->strategy);
}

#define SPARSECAST_DOTS(Dots, Value)                                                                              \
  Dots Plan::apply_with_dots(std::span<const Value> x, std::span<Value> y, std::span<const Value> w, Value alpha, \
                             Value beta) const {                                                                  \
    const auto sums = with_dots(*this, x, y, w, alpha, beta);                                                     \
    return {sums.with_w, sums.with_y};                                                                            \
  }
SPARSECAST_DOTS(ProductDots, double)
SPARSECAST_DOTS(ProductDots, float)
SPARSECAST_DOTS(ComplexProductDots, std::complex<double>)
SPARSECAST_DOTS(ComplexProductDots, std::complex<float>)
#undef SPARSECAST_DOTS

#define SPARSECAST_PRODUCTS(Value)                                                                                \
  void Plan::apply(std::span<const Value> x, std::span<Value> y, Value alpha, Value beta) const {                 \
    apply_vector(*this, x, y, alpha, beta, false);                                                                \
  }                                                                                                               \
  void Plan::apply_transposed(std::span<const Value> x, std::span<Value> y, Value alpha, Value beta) const {      \
    apply_vector(*this, x, y, alpha, beta, true);                                                                 \
  }                                                                                                               \
  void Plan::apply_gram(std::span<const Value> x, std::span<Value> y) const { gram(*this, x, y); }                \
  void Plan::apply_block(const VectorBlock<const Value>& x, const VectorBlock<Value>& y, Value alpha, Value beta) \
      const {                                                                                                     \
    apply_vectors(*this, x, y, alpha, beta, false);                                                               \
  }                                                                                                               \
  void Plan::apply_transposed_block(const VectorBlock<const Value>& x, const VectorBlock<Value>& y, Value alpha,  \
                                    Value beta) const {                                                           \
    apply_vectors(*this, x, y, alpha, beta, true);                                                                \
  }
SPARSECAST_PRODUCTS(double)
SPARSECAST_PRODUCTS(float)
SPARSECAST_PRODUCTS(std::complex<double>)
SPARSECAST_PRODUCTS(std::complex<float>)
#undef SPARSECAST_PRODUCTS

void Plan::apply_adjoint(std::span<const std::complex<double>> x, std::span<std::complex<double>> y,
                         std::complex<double> alpha, std::complex<double> beta) const {
  adjoint(*this, x, y, alpha, beta);
}
void Plan::apply_adjoint(std::span<const std::complex<float>> x, std::span<std::complex<float>> y,
                         std::complex<float> alpha, std::complex<float> beta) const {
  adjoint(*this, x, y, alpha, beta);
}

void Plan::update_values(const Matrix& matrix, CsrCheck check) {
  if (matrix.is_complex() && !is_complex(strategy().precision))
    throw Error(ErrorCode::usage, "complex values are given for a plan of real values", {},
                "make a plan of the new matrix");
  const std::int64_t entries = runner_->nonzeros;
  if (matrix.rows() != rows() || matrix.cols() != cols() || matrix.nonzeros() != entries)
    throw Error(ErrorCode::usage,
                fmt::format("the new values belong to a {} × {} matrix with {} non-zeros, the plan to {} × {} with {}",
                            matrix.rows(), matrix.cols(), matrix.nonzeros(), rows(), cols(), entries),
                {}, "make a plan of the new matrix");
  if (check == CsrCheck::everything && planning::matrix_checksums(matrix).pattern != runner_->checksums().pattern)
    throw Error(ErrorCode::usage, "the non-zeros of " + matrix.name() + " are not where those of the plan's matrix are",
                {}, "make a plan of the new matrix");
  if (runner_.use_count() == 1) {
    // What another thread did with a copy that it has dropped happens before what follows.
    std::atomic_thread_fence(std::memory_order_acquire);
    if (runner_->update_values(matrix)) {
      runner_ = planning::with_powers(std::move(runner_), matrix);
      runner_->gram.forget();
      runner_->forget_values();
      return;
    }
  }
  runner_ = planning::with_powers(planning::make_runner(matrix, runner_->strategy), matrix);
  runner_->pace.promise(runner_->strategy);
}

bool Plan::has_checksum() const noexcept { return runner_->summed_when_made(); }

bool Plan::is_of(const Matrix& matrix) const {
  if (!has_checksum())
    throw Error(ErrorCode::usage, "a plan for so few products has no checksum of its matrix", {},
                fmt::format("plan for {} products or more", StrategyOptions::few_products + 1));
  const planning::MatrixChecksums &then = runner_->checksums(), now = planning::matrix_checksums(matrix);
  return now.pattern == then.pattern && (then.whole.empty() || now.whole == then.whole);
}

const Strategy& Plan::strategy() const noexcept { return runner_->strategy; }
std::int64_t Plan::rows() const noexcept { return runner_->rows; }
std::int64_t Plan::cols() const noexcept { return runner_->cols; }
std::int64_t Plan::bytes() const noexcept { return runner_->bytes() + runner_->powers.bytes(); }
double Plan::conversion_seconds() const noexcept { return runner_->conversion_s + runner_->powers.conversion_s(); }
std::optional<TrialReport> Plan::trials() const { return runner_->trials(); }
std::vector<std::string> Plan::kernels() const {
  std::vector<std::string> names;
  for (const PlannedBlock& block : runner_->blocks()) names.push_back(block.kernel);
  return names;
}
PlanHealth Plan::health() const { return runner_->pace.health(); }

Strategy one_kernel(const Matrix& matrix, const std::string& kernel, Precision precision, int threads) {
  const formats::KernelInfo* found = formats::find_kernel(kernel);
  if (found == nullptr || !found->on_host)
    throw Error(ErrorCode::usage, "the host has no kernel '" + kernel + "'", {},
                formats::unknown_kernel_remedy(kernel, true));
  Strategy strategy;
  strategy.blocks = {{.last_row = matrix.rows() - 1, .kernel = kernel}};
  strategy.best_single.kernel = kernel;
  planning::find_break_even(strategy, std::nullopt);
  strategy.strips = 1;
  strategy.strip_rows = matrix.rows();
  strategy.reason = "the kernel was given by name";
  strategy.device = "host";
  strategy.precision = precision;
  strategy.threads = base::thread_count(threads);
  return strategy;
}

RoundedMatrix rounded_to(ValueStorage storage, const Matrix& matrix) {
  if (storage == ValueStorage::given)
    throw Error(ErrorCode::usage, "there is no such type to round to", {}, "use single, half or bfloat16");
  return matrix.visit([&](const auto& csr) {
    auto values = std::make_shared<Array<float>>(csr.values.size());
    double largest = 0;
    for (std::size_t k = 0; k < values->size(); ++k) {
      const auto exact = static_cast<double>(csr.values[k]);
      const double rounded = base::rounded(storage, exact);
      (*values)[k] = static_cast<float>(rounded);
      if (std::isfinite(exact) && !std::isfinite(rounded))
        throw Error(ErrorCode::bad_input, fmt::format("{} is beyond what {} holds", exact, to_string(storage)),
                    {matrix.name()}, "scale the matrix, or store it as it is");
      if (std::isfinite(exact) && exact != 0) largest = std::max(largest, std::abs(rounded - exact) / std::abs(exact));
    }
    const std::span<const float> view(*values);
    auto owner = std::make_shared<std::pair<Matrix, std::shared_ptr<Array<float>>>>(matrix, std::move(values));
    return RoundedMatrix{Matrix(CsrView{.rows = csr.rows,
                                        .cols = csr.cols,
                                        .row_pointers = csr.row_pointers,
                                        .column_indices = csr.column_indices,
                                        .values = view,
                                        .owner = std::move(owner)},
                                matrix.name(), CsrCheck::sizes),
                         largest};
  });
}
}  // namespace sparsecast

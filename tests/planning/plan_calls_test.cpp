// The calls of a Plan beside y = A·x: against the transpose and sums written out, over every kernel, blocks of several
// kernels, lent arrays of every type; what is refused; what copies and new values have to do with each other.

#include <gtest/gtest.h>

#include <omp.h>

#include <cmath>
#include <complex>
#include <limits>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/transpose.hpp>
#include <thread>

#include "formats/host_product.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/own_arrays.hpp"

namespace sparsecast::plan_calls {
namespace {

const Matrix& uneven() {
  static const Matrix matrix = generate({"powerlaw", 0, 6, 1501, 1300, 5, {}});
  return matrix;
}

// Every kernel by itself, and blocks of different ones, of which some have their rows sorted.
struct Way {
  std::string name;
  std::vector<std::string> kernels;
  bool reordered = false;
};
std::vector<Way> ways() {
  std::vector<Way> all;
  for (const formats::HostKernel& kernel : formats::host_kernels())
    all.push_back({std::string(kernel.name), {std::string(kernel.name)}});
  all.push_back({"blocks", {"csr", "sell", "coo", "csr", "hyb", "jad", "ell"}});
  all.push_back({"sorted", {"csr", "csr"}, true});
  return all;
}

Strategy strategy_of(const Matrix& matrix, const Way& way, Precision precision, int threads) {
  Strategy strategy = one_kernel(matrix, "csr", precision, threads);
  strategy.blocks.clear();
  const auto count = static_cast<std::int64_t>(way.kernels.size());
  for (std::int64_t b = 0; b < count; ++b)
    strategy.blocks.push_back({.first_row = matrix.rows() * b / count,
                               .last_row = matrix.rows() * (b + 1) / count - 1,
                               .kernel = way.kernels[static_cast<std::size_t>(b)],
                               .reordered = way.reordered,
                               .seconds = 1});
  return strategy;
}

template <class Value>
constexpr Precision precision_of = std::is_same_v<Value, float> ? Precision::single_ : Precision::double_;

template <class Value>
std::vector<Value> numbers(std::int64_t count, double first = 1) {
  std::vector<Value> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(first + 0.37 * static_cast<double>(i % 11));
  return x;
}

// alpha·A·x + beta·y, or with the transpose, in double; and Σ|a||x| + |y|, the scale of its rounding errors.
struct Expected {
  std::vector<double> y, scale;
};
template <class Value>
Expected expected(const Matrix& matrix, bool transposed, std::span<const Value> x, double alpha, double beta,
                  const std::vector<Value>& before) {
  Expected e;
  for (const Value value : before) {
    e.y.push_back(beta == 0 ? 0 : beta * static_cast<double>(value));
    e.scale.push_back(std::abs(e.y.back()));
  }
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const auto column = static_cast<std::size_t>(csr.column_indices[k]), at = static_cast<std::size_t>(row);
        const double term =
            alpha * static_cast<double>(csr.values[k]) * static_cast<double>(x[transposed ? at : column]);
        e.y[transposed ? column : at] += term;
        e.scale[transposed ? column : at] += std::abs(term);
      }
  });
  return e;
}

template <class Value>
void expect_near(const std::vector<Value>& y, const Expected& e) {
  const double unit = std::is_same_v<Value, float> ? 1e-5 : 1e-13;
  ASSERT_EQ(y.size(), e.y.size());
  for (std::size_t i = 0; i < y.size(); ++i)  // not a macro for each of millions; a NaN is wrong
    if (!(std::abs(static_cast<double>(y[i]) - e.y[i]) <= unit * (1 + 10 * e.scale[i])))
      FAIL() << "entry " << i << " is " << y[i] << " and not " << e.y[i];
}

template <class Value>
void expect_one_vector(const Plan& plan, const Matrix& matrix) {
  for (const bool transposed : {false, true}) {
    const std::vector<Value> x = numbers<Value>(transposed ? matrix.rows() : matrix.cols());
    for (const auto& [alpha, beta] : {std::pair{1.0, 0.0}, {1.5, 0.0}, {-0.75, 1.0}, {2.0, -0.3}}) {
      std::vector<Value> y = numbers<Value>(transposed ? matrix.cols() : matrix.rows(), 3);
      if (beta == 0) std::ranges::fill(y, std::numeric_limits<Value>::quiet_NaN());
      const Expected e = expected<Value>(matrix, transposed, x, alpha, beta, y);
      const std::span<const Value> from(x);
      const std::span<Value> to(y);
      const auto a = static_cast<Value>(alpha), b = static_cast<Value>(beta);
      transposed ? plan.apply_transposed(from, to, a, b) : plan.apply(from, to, a, b);
      expect_near(y, e);
    }
  }
}

// Five vectors with gaps between them, in both orders.
template <class Value>
void expect_blocks(const Plan& plan, const Matrix& matrix) {
  constexpr std::int64_t vectors = 5;
  for (const bool transposed : {false, true}) {
    const std::int64_t from = transposed ? matrix.rows() : matrix.cols(),
                       to = transposed ? matrix.cols() : matrix.rows();
    for (const BlockOrder order : {BlockOrder::row_major, BlockOrder::column_major}) {
      const bool by_rows = order == BlockOrder::row_major;
      const std::int64_t x_leading = by_rows ? 7 : from + 2, y_leading = by_rows ? 6 : to + 1;
      std::vector<Value> x = numbers<Value>(by_rows ? from * x_leading : vectors * x_leading),
                         y = numbers<Value>(by_rows ? to * y_leading : vectors * y_leading, 2);
      const std::vector<Value> before = y;
      const VectorBlock<const Value> in{x, vectors, x_leading, order};
      const VectorBlock<Value> out{y, vectors, y_leading, order};
      transposed ? plan.apply_transposed_block(in, out, 2, Value{-0.5}) : plan.apply_block(in, out, 2, Value{-0.5});
      std::vector<Value> untouched = before;
      for (std::int64_t v = 0; v < vectors; ++v) {
        std::vector<Value> one, old, result;
        for (std::int64_t i = 0; i < from; ++i)
          one.push_back(x[static_cast<std::size_t>(by_rows ? i * x_leading + v : v * x_leading + i)]);
        for (std::int64_t i = 0; i < to; ++i) {
          const auto at = static_cast<std::size_t>(by_rows ? i * y_leading + v : v * y_leading + i);
          old.push_back(before[at]);
          result.push_back(y[at]);
          untouched[at] = y[at];
        }
        expect_near(result, expected<Value>(matrix, transposed, one, 2, -0.5, old));
      }
      EXPECT_EQ(y, untouched) << "written between the vectors";
    }
  }
}

template <class Arrays>
class PlanCalls : public ::testing::Test {};
TYPED_TEST_SUITE(PlanCalls, test::LentTypes<::testing::Types>);

TYPED_TEST(PlanCalls, AgreeWithTheSumsOnLentArraysOfEveryTypeInBothPrecisions) {
  const TypeParam mine(uneven());
  const Matrix lent(mine.view(), "lent");
  for (const Way& way : ways()) {
    for (const int threads : {1, 2, 3}) {
      SCOPED_TRACE(way.name + ", threads " + std::to_string(threads));
      const Plan in_double(lent, strategy_of(lent, way, Precision::double_, threads));
      const Plan in_single(lent, strategy_of(lent, way, Precision::single_, threads));
      expect_one_vector<double>(in_double, lent);
      expect_one_vector<float>(in_single, lent);
      expect_blocks<double>(in_double, lent);
      expect_blocks<float>(in_single, lent);
      if (this->HasFailure()) return;
    }
  }
}

TYPED_TEST(PlanCalls, TakeNewValues) {
  using Value = typename TypeParam::Value;
  const TypeParam mine(uneven());
  TypeParam later(uneven());
  for (Value& value : later.values) value = 3 - value / 2;
  const Matrix before(mine.view(), "before"), after(later.view(), "after");
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    Plan plan(before, strategy_of(before, way, precision_of<Value>, 2));
    const std::int64_t bytes = plan.bytes();
    plan.update_values(after);
    expect_one_vector<Value>(plan, after);
    EXPECT_EQ(plan.bytes(), bytes);
    // A copy keeps the values that it was made with.
    const Plan copy = plan;
    plan.update_values(before, CsrCheck::sizes);
    expect_one_vector<Value>(plan, before);
    expect_one_vector<Value>(copy, after);
  }
}

Plan plan_of(const Matrix& matrix, const std::string& kernel, int threads = 2) {
  return {matrix, one_kernel(matrix, kernel, Precision::double_, threads)};
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    return error.reason();
  }
  ADD_FAILURE() << "not refused";
  return {};
}

bool tells(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

TEST(PlanRefuses, NewValuesOnAnotherPattern) {
  Plan plan = plan_of(uneven(), "sell");
  EXPECT_TRUE(tells(refusal([&] { plan.update_values(test::random_matrix(1501, 1300, 4000, 1)); }), "non-zeros"));
  // As many non-zeros, one of them elsewhere.
  test::OwnArrays<double, std::int32_t, std::int32_t> other(uneven());
  std::size_t row = 1;
  while (other.row_pointers[row] == 0) ++row;
  std::int32_t& last = other.column_indices[static_cast<std::size_t>(other.row_pointers[row]) - 1];
  ASSERT_LT(last, 1299);
  ++last;
  EXPECT_TRUE(
      tells(refusal([&] { plan.update_values(Matrix(other.view(), "other", CsrCheck::sizes)); }), "other are not"));
  expect_one_vector<double>(plan, uneven());
}

TEST(PlanRefuses, VectorsOfAnotherSizeOrPrecision) {
  const Plan plan = plan_of(uneven(), "csr");
  std::vector<double> x(1300), y(1501), small(1299);
  refusal([&] { plan.apply(small, y, 2, 1); });
  refusal([&] { plan.apply_transposed(x, y); });  // the other way round
  std::vector<float> single_x(1501), single_y(1300);
  EXPECT_TRUE(
      tells(refusal([&] { plan.apply_transposed(std::span<const float>(single_x), std::span<float>(single_y)); }),
            "double precision"));
  // An adjoint works in y itself, and must not have begun.
  using Complex = std::complex<double>;
  const std::vector<Complex> pairs(1501);
  std::vector<Complex> into(1300, {5, 7});
  refusal([&] { plan.apply_adjoint(pairs, into, 1, 2); });
  EXPECT_EQ(into, std::vector<Complex>(1300, {5, 7}));
}

TEST(PlanRefuses, BlocksThatCannotBe) {
  const Plan plan = plan_of(uneven(), "csr");
  std::vector<double> x(1300 * 4), y(1501 * 4);
  const auto multiply = [&](const VectorBlock<const double>& from, const VectorBlock<double>& to) {
    return refusal([&] { plan.apply_block(from, to); });
  };
  EXPECT_TRUE(tells(multiply({x, 0}, {y, 0}), "0 vectors"));
  EXPECT_TRUE(tells(multiply({x, 4}, {y, 3}), "x has 4 vectors and y has 3"));
  EXPECT_TRUE(tells(multiply({x, 5}, {y, 5}), "5200 entries"));
  EXPECT_TRUE(tells(multiply({x, 4, 3}, {y, 4}), "leading dimension"));
  EXPECT_TRUE(tells(multiply({x, 2, 1299, BlockOrder::column_major}, {y, 2}), "leading dimension"));
  EXPECT_TRUE(tells(multiply({x, 4, 1301, BlockOrder::column_major}, {y, 4}), "entries"));
  EXPECT_TRUE(tells(multiply({x, std::numeric_limits<std::int64_t>::max()}, {y, 2}), "entries"));
}

TEST(PlanRefuses, MoreThreadsThanMemoryIsSetAsideFor) {
  const Matrix matrix = uneven();
  for (const char* kernel : {"csr", "sell", "csr-sym"})
    for (const int threads : {1025, 1'000'000, std::numeric_limits<int>::max()}) {
      Strategy strategy = one_kernel(matrix, kernel, Precision::double_, 1);
      strategy.threads = threads;
      EXPECT_TRUE(tells(refusal([&] { (void)Plan(matrix, strategy); }), "the strategy has")) << kernel << threads;
    }
  Strategy pair = one_kernel(matrix, "csr", Precision::double_, 1);
  pair.transpose = {.storage = TransposeStorage::transpose, .threads = 1025};
  pair.transpose->blocks = one_kernel(transpose(matrix), "csr").blocks;
  EXPECT_TRUE(tells(refusal([&] { (void)Plan(matrix, pair); }), "1025 threads"));
}

TEST(PlanRefuses, VectorsThatOverlap) {
  const Plan plan = plan_of(test::random_matrix(100, 100, 500, 3), "csr");
  std::vector<double> memory(1000);
  const std::span<double> all(memory);
  EXPECT_TRUE(tells(refusal([&] { plan.apply(all.first(100), all.subspan(99, 100)); }), "overlap"));
  EXPECT_TRUE(tells(refusal([&] { plan.apply_transposed(all.first(100), all.first(100)); }), "overlap"));
  plan.apply(all.first(100), all.subspan(100, 100));
  // Columns of one dense matrix by rows: those of x and y lie between each other's.
  const auto columns = [&](std::int64_t x, std::int64_t y, std::int64_t count) {
    plan.apply_block({.data = all.subspan(static_cast<std::size_t>(x)), .vectors = count, .leading = 10},
                     {.data = all.subspan(static_cast<std::size_t>(y)), .vectors = count, .leading = 10});
  };
  columns(0, 5, 5);
  columns(5, 0, 5);
  columns(8, 3, 2);
  EXPECT_TRUE(tells(refusal([&] { columns(0, 4, 5); }), "overlap"));
  EXPECT_TRUE(tells(refusal([&] { columns(4, 0, 5); }), "overlap"));
}

TEST(PlanRefuses, ToBeSavedAfterNewValues) {
  const test::TemporaryFolder folder;
  Plan plan = plan_of(uneven(), "sell");
  plan.update_values(uneven());
  EXPECT_TRUE(tells(refusal([&] { plan.save(folder.path() / "plan.json"); }), "values were updated"));
}

TEST(PlanIsOf, TheMatrixThatItWasMadeOfAndOfNoOther) {
  test::OwnArrays<double, std::int32_t, std::int32_t> arrays(uneven());
  const Matrix lent(arrays.view(), "lent");
  Plan plan = plan_of(lent, "csr");
  EXPECT_TRUE(plan.is_of(lent));
  EXPECT_TRUE(plan.is_of(uneven()));
  EXPECT_FALSE(plan.is_of(test::random_matrix(1501, 1300, 4000, 1)));
  arrays.values.back() += 1;
  EXPECT_FALSE(plan.is_of(lent));
  // New values are the caller's: the pattern is what must stay.
  plan.update_values(lent);
  arrays.values.back() += 1;
  EXPECT_TRUE(plan.is_of(lent));
  EXPECT_FALSE(plan.is_of(test::random_matrix(1501, 1300, 4000, 1)));
}

TEST(PlanIsOf, NothingThatAPlanForFewProductsKnows) {
  Strategy strategy = one_kernel(uneven(), "csr");
  strategy.iterations = StrategyOptions::few_products;
  const Plan few(uneven(), strategy);
  EXPECT_TRUE(tells(refusal([&] { (void)few.is_of(uneven()); }), "so few products"));
  strategy.iterations = StrategyOptions::few_products + 1;
  EXPECT_TRUE(Plan(uneven(), strategy).is_of(uneven()));
}

TEST(PlanOnCsr, TakesOverTheNewArraysAndLetsTheOldOnesGo) {
  using Arrays = test::OwnArrays<double, std::int32_t, std::int32_t>;
  auto first = std::make_shared<const Arrays>(uneven()), second = std::make_shared<const Arrays>(uneven());
  const std::weak_ptr<const Arrays> old = first, now = second;
  Plan plan = plan_of(Matrix(first->view(first), "first"), "csr");
  first.reset();
  EXPECT_FALSE(old.expired());
  plan.update_values(Matrix(second->view(second), "second"));
  second.reset();
  EXPECT_TRUE(old.expired());
  EXPECT_FALSE(now.expired());
}

TEST(OneKernel, NeedsNoProfileAndRefusesWhatTheHostDoesNotHave) {
  const Strategy strategy = one_kernel(uneven(), "jad", Precision::single_, 3);
  EXPECT_EQ(strategy.threads, 3);
  EXPECT_EQ(strategy.blocks.size(), 1U);
  EXPECT_TRUE(tells(refusal([] { (void)one_kernel(uneven(), "csr-vector"); }), "no kernel 'csr-vector'"));
  const Plan empty(Matrix(), one_kernel(Matrix(), "sell"));
  empty.apply(std::span<const double>(), std::span<double>());
}

// What a caller allows changes how many threads run and nothing else.
TEST(PlanThreads, GiveTheSameResultsUnderEveryLimit) {
  const int usual = omp_get_max_threads();
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    const Plan plan(uneven(), strategy_of(uneven(), way, Precision::double_, 4));
    const std::vector<double> x = numbers<double>(1300 * 3), longer = numbers<double>(1501);
    const auto results = [&] {
      std::vector<double> y(1501 * 5), transposed(1300);
      const std::span<double> all(y);
      plan.apply(std::span(x).first(1300), all.first(1501));
      plan.apply(std::span(x).first(1300), all.subspan(1501, 1501), 3, 0);
      plan.apply_block({.data = x, .vectors = 3}, {.data = all.subspan(2 * 1501), .vectors = 3});
      plan.apply_transposed(longer, transposed);
      y.insert(y.end(), transposed.begin(), transposed.end());
      return y;
    };
    omp_set_num_threads(4);
    const std::vector<double> free = results();
    for (const int limit : {1, 2, 3}) {
      omp_set_num_threads(limit);
      EXPECT_EQ(results(), free) << limit;
    }
    omp_set_num_threads(4);
    std::vector<double> nested;
#pragma omp parallel num_threads(2)
    {
#pragma omp single
      nested = results();
    }
    EXPECT_EQ(nested, free) << "within a region of the caller's";
  }
  omp_set_num_threads(usual);
}

TEST(PlanThreads, MayCallEverythingAtOnce) {
  const Plan plan(uneven(), strategy_of(uneven(), {"blocks", {"csr", "sell", "hyb"}}, Precision::double_, 2));
  const std::vector<double> x = numbers<double>(1300 * 4), longer = numbers<double>(1501);
  const auto results = [&] {
    std::vector<double> y(1501 * 4), one(1501), transposed(1300);
    plan.apply_block({x, 4, 0, BlockOrder::column_major}, {y, 4});
    plan.apply(std::span(x).first(1300), one, 2, 0);
    plan.apply_transposed(longer, transposed, 2, 0);
    y.insert(y.end(), one.begin(), one.end());
    y.insert(y.end(), transposed.begin(), transposed.end());
    return y;
  };
  const std::vector<double> alone = results();
  std::vector<std::vector<double>> together(4);
  {
    std::vector<std::jthread> callers;
    for (auto& y : together)
      callers.emplace_back([&] {
        for (int i = 0; i < 10; ++i) y = results();
      });
  }
  for (const auto& y : together) EXPECT_EQ(y, alone);
}

// Values as float and sums in double: 0.1 is no float, and 2⁻³⁰ of its neighbour would be lost in a sum of floats.
TEST(PlanStorage, RoundsValuesAndNothingElse) {
  const Matrix matrix(Csr<std::int32_t, std::int32_t>{2, 2, {0, 2, 3}, {0, 1, 1}, {1, std::ldexp(1, -30), 0.1}}, "m");
  const RoundedMatrix rounded = rounded_to(ValueStorage::single_, matrix);
  EXPECT_GT(rounded.largest_error, 0);
  EXPECT_LE(rounded.largest_error, std::ldexp(1, -24));
  for (const char* kernel : {"csr", "sell-compact"}) {
    const Plan plan(rounded.matrix, one_kernel(rounded.matrix, kernel, Precision::double_, 1));
    const std::vector<double> x{1, 1};
    std::vector<double> y(2);
    plan.apply(x, y);
    EXPECT_EQ(y[0], 1 + std::ldexp(1, -30)) << kernel;
    EXPECT_EQ(y[1], static_cast<double>(0.1F)) << kernel;
  }
  const auto last = [](const RoundedMatrix& of) {
    return of.matrix.visit([](const auto& csr) { return static_cast<double>(csr.values[2]); });
  };
  const RoundedMatrix half = rounded_to(ValueStorage::half, matrix);
  EXPECT_EQ(last(half), 1638 / 16384.0);  // of 1638.4
  EXPECT_EQ(half.largest_error, 1);       // 2⁻³⁰ is nothing in half
  const RoundedMatrix brain = rounded_to(ValueStorage::bfloat16, matrix);
  EXPECT_EQ(last(brain), 205 / 2048.0);  // of 204.8
  EXPECT_NEAR(brain.largest_error, 0.2 / 204.8, 1e-15);
  const Matrix huge(Csr<std::int32_t, std::int32_t>{1, 1, {0, 1}, {0}, {65520}}, "huge");
  EXPECT_THROW(static_cast<void>(rounded_to(ValueStorage::half, huge)), Error);
}

}  // namespace
}  // namespace sparsecast::plan_calls

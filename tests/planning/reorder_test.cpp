// Orders of rows and columns: what each is, how vectors follow, and the search for the one that pays.

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <numeric>
#include <random>
#include <sparsecast/error.hpp>
#include <sparsecast/reorder.hpp>
#include <sparsecast/structure.hpp>

#include "planning/reorder/order_search.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

// A band of 2·reach + 1 diagonals whose rows and columns were shuffled together.
Matrix shuffled_band(std::int32_t rows, std::int32_t reach) {
  std::vector<std::int32_t> place(static_cast<std::size_t>(rows)), old(place.size());
  std::iota(place.begin(), place.end(), 0);
  std::shuffle(place.begin(), place.end(), std::mt19937(7));
  for (std::int32_t row = 0; row < rows; ++row)
    old[static_cast<std::size_t>(place[static_cast<std::size_t>(row)])] = row;
  Csr<std::int32_t, std::int32_t> csr{rows, rows, {0}, {}, {}};
  for (std::int32_t p = 0; p < rows; ++p) {
    const std::int32_t row = old[static_cast<std::size_t>(p)];
    std::vector<std::int32_t> columns;
    for (std::int32_t j = std::max(0, row - reach); j <= std::min(rows - 1, row + reach); ++j)
      columns.push_back(place[static_cast<std::size_t>(j)]);
    std::ranges::sort(columns);
    for (const std::int32_t column : columns) {
      csr.column_indices.push_back(column);
      csr.values.push_back(1 + 0.25 * (column % 8));
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  return {std::move(csr), "shuffled-band"};
}

void expect_order(const Order& order, std::int64_t rows) {
  std::vector<std::int64_t> sorted = order.old_place;
  std::ranges::sort(sorted);
  ASSERT_EQ(static_cast<std::int64_t>(sorted.size()), rows);
  for (std::int64_t row = 0; row < rows; ++row) ASSERT_EQ(sorted[static_cast<std::size_t>(row)], row);
}

TEST(AnOrder, HoldsEveryRowOnceWhateverTheMatrix) {
  // One component, many of them, vertices without edges, nothing at all.
  for (const Matrix& matrix :
       {shuffled_band(500, 3), test::random_matrix(4000, 4000, 3000, 5), test::random_matrix(50, 50, 0, 1), Matrix()}) {
    const Order order = make_order(matrix, Ordering::rcm);
    EXPECT_EQ(order.kind, Ordering::rcm);
    expect_order(order, matrix.rows());
    EXPECT_EQ(make_order(matrix, Ordering::rcm).old_place, order.old_place) << "another one on another run";
  }
}

TEST(AnOrder, OfCuthillAndMckeeMakesABandOfAShuffledOne) {
  const Matrix matrix = shuffled_band(3000, 4);
  EXPECT_GT(analyze(matrix).diagonal_bandwidth, 2000);
  const Matrix ordered = permuted(matrix, make_order(matrix, Ordering::rcm));
  EXPECT_LE(analyze(ordered).diagonal_bandwidth, 8) << "a level of the band's graph has at most 4 vertices";
}

TEST(AnOrder, TakesVectorsAlongAndBringsThemBack) {
  const Matrix matrix = shuffled_band(700, 2);
  const Order order = make_order(matrix, Ordering::rcm);
  const Plan as_it_is(matrix, one_kernel(matrix, "csr", Precision::double_, 1));
  const Matrix other = permuted(matrix, order);
  const Plan ordered(other, one_kernel(other, "csr", Precision::double_, 1));
  std::vector<double> x(700), in_order(700), product(700), y(700), expected(700);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + static_cast<double>(i % 9);
  as_it_is.apply(x, expected);
  order.into(x, in_order);
  ordered.apply(in_order, product);
  order.out_of(product, y);
  for (std::size_t i = 0; i < y.size(); ++i) EXPECT_NEAR(y[i], expected[i], 1e-12);
  EXPECT_THROW(order.into(std::span<const double>(x).first(5), y), Error);
  EXPECT_THROW(order.into(x, x), Error) << "permuted in place";
}

TEST(Orders, ThatAreNoneMoveNothing) {
  const auto code_of = [](const auto& call) {
    try {
      call();
    } catch (const Error& error) {
      return error.code();
    }
    return ErrorCode::failed;
  };
  const std::vector<double> x(4, 1.0);
  for (const std::vector<std::int64_t>& places : std::vector<std::vector<std::int64_t>>{
           {0, 1, 2, 1 << 30}, {0, 1, 2, -5}, {0, 1, 2, 2}, {0, 1, 2, std::numeric_limits<std::int64_t>::min()}}) {
    const Order order{.kind = Ordering::rcm, .old_place = places};
    std::vector<double> y(4, 7.0);
    EXPECT_EQ(code_of([&] { order.into(x, y); }), ErrorCode::usage) << places.back();
    EXPECT_EQ(code_of([&] { order.out_of(x, y); }), ErrorCode::usage) << places.back();
    EXPECT_EQ(y, std::vector<double>(4, 7.0));
  }
}

TEST(AnOrder, IsRefusedWhereItIsNone) {
  const Matrix matrix = shuffled_band(10, 1), wide = test::random_matrix(3, 5, 4, 1);
  EXPECT_THROW((void)permuted(matrix, Order{Ordering::rcm, {0, 1, 2}}), Error);
  EXPECT_THROW((void)permuted(matrix, Order{Ordering::rcm, {0, 1, 2, 3, 4, 5, 6, 7, 8, 8}}), Error);
  EXPECT_THROW((void)make_order(wide, Ordering::rcm), Error);
  EXPECT_THROW((void)ordering_from("amd"), Error);
  EXPECT_EQ(ordering_from("rcm"), Ordering::rcm);
}

TEST(TheKindestOrder, ReadsEveryLineOfXOnceAndNeverMore) {
  const Structure structure = analyze(shuffled_band(20000, 4));
  for (const bool side_by_side : {false, true}) {
    const Structure kind = planning::kindest(structure, side_by_side);
    ASSERT_EQ(kind.x_reuse.size(), structure.x_reuse.size());
    for (std::size_t i = 0; i < kind.x_reuse.size(); ++i)
      for (const double lines : {8.0, 512.0, 1e6})
        EXPECT_LE(kind.x_reuse[i].miss_share(lines), structure.x_reuse[i].miss_share(lines) + 1e-12);
  }
}

class ASearchForAnOrder : public testing::Test {
 protected:
  // Fits are kept in the home folder: one for all tests, as most take seconds.
  static void SetUpTestSuite() { home = std::make_unique<test::TemporaryFolder>(); }
  static void TearDownTestSuite() { home.reset(); }
  void SetUp() override { setenv("SPARSECAST_HOME", home->path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  // Times that follow rows and non-zeros alone: where x is does not count.
  static Planner planner() {
    Profile profile = test::empty_host_profile(1);
    test::add_grid(profile, "constant", "csr", 1,
                   [](double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); });
    return Planner(profile, Precision::double_, 1);
  }
  static std::unique_ptr<test::TemporaryFolder> home;
};
std::unique_ptr<test::TemporaryFolder> ASearchForAnOrder::home;

TEST_F(ASearchForAnOrder, MakesTheOneThatIsAskedForAndCountsItsCost) {
  const Matrix matrix = shuffled_band(20000, 4);
  const Reordering found = find_reordering(planner(), matrix, {.iterations = 1000}, Ordering::rcm);
  EXPECT_EQ(found.order.kind, Ordering::rcm);
  expect_order(found.order, 20000);
  EXPECT_EQ(found.trials.size(), 1U);
  EXPECT_GT(found.reordering_s, 0);
  EXPECT_LE(analyze(found.matrix).diagonal_bandwidth, 16);
  EXPECT_NE(found.strategy.break_even, 0) << "the order has to be earned back";
  EXPECT_GE(found.search_s, found.reordering_s);
}

TEST_F(ASearchForAnOrder, LeavesAMatrixThatIsNotSquare) {
  const Matrix wide = test::random_matrix(300, 500, 3000, 1);
  const Reordering found = find_reordering(planner(), wide);
  EXPECT_EQ(found.order.kind, Ordering::none);
  EXPECT_TRUE(test::same(found.matrix, wide));
  EXPECT_NE(found.reason.find("square"), std::string::npos) << found.reason;
  EXPECT_THROW((void)find_reordering(planner(), wide, {}, Ordering::rcm), Error);
}

TEST_F(ASearchForAnOrder, PaysNothingWhereSoFewProductsCannotBringItBack) {
  const Matrix matrix = shuffled_band(20000, 4);
  const Reordering found = find_reordering(planner(), matrix, {.iterations = 1});
  EXPECT_EQ(found.order.kind, Ordering::none);
  EXPECT_FALSE(found.trials.empty());
  for (const OrderTrial& trial : found.trials) {
    EXPECT_FALSE(trial.tried) << to_string(trial.ordering);
    EXPECT_FALSE(trial.reason.empty());
    EXPECT_GT(trial.forecast_reordering_s, 0);
  }
}

// Times of csr follow rows and non-zeros alone; those of ell are a hundredth of them.
TEST_F(ASearchForAnOrder, IsJudgedByTheKernelsThatMayBeTaken) {
  Profile profile = test::empty_host_profile(1);
  for (const auto& [kernel, share] : {std::pair{"csr", 1.0}, std::pair{"ell", 0.01}})
    test::add_grid(profile, "constant", kernel, 1, [share](double strips, double length) {
      return share * (1e-6 + strips * 1024 * (2e-9 + 1e-9 * length));
    });
  const Planner planner(profile, Precision::double_, 1);
  const Matrix matrix = shuffled_band(20000, 4);
  const Reordering found = find_reordering(planner, matrix, {.kernels = {"csr"}}, Ordering::rcm);
  ASSERT_EQ(found.trials.size(), 1U);
  EXPECT_EQ(found.strategy.best_single.kernel, "csr");
  EXPECT_DOUBLE_EQ(found.trials[0].seconds, found.strategy.best_single.seconds);
  EXPECT_NE(found.strategy.break_even, 0) << "the order has to be earned back";
  const Reordering any = find_reordering(planner, matrix, {}, Ordering::rcm);
  EXPECT_LT(any.trials[0].seconds, found.trials[0].seconds) << "ell is faster";
}

// Where trials or observations change the times, the order still has to be earned back against csr as it was.
TEST_F(ASearchForAnOrder, IsEarnedBackWhateverTheTimesComeTo) {
  const Matrix matrix = shuffled_band(20000, 4);
  const Reordering found = find_reordering(planner(), matrix, {}, Ordering::rcm);
  Strategy strategy = found.strategy;
  const double csr_s = found.as_it_is.singles.front().seconds;
  ASSERT_EQ(found.as_it_is.singles.front().kernel, "csr");
  strategy.predicted_s = csr_s / 2;
  planning::find_break_even_in_order(strategy, found);
  EXPECT_NEAR(static_cast<double>(strategy.break_even), found.reordering_s / (csr_s / 2), 1);
}

TEST_F(ASearchForAnOrder, LeavesComplexValuesAndSaysSo) {
  Csr<std::int32_t, std::int32_t> csr{2, 2, {0, 1, 2}, {1, 0}, {1, 2}, {3, 4}};
  const Matrix matrix(std::move(csr), "complex");
  Profile profile = test::empty_host_profile(1);
  test::add_grid(profile, "constant", "csr", 1, [](double strips, double length) { return 1e-6 * strips * length; });
  const Planner planner(profile, Precision::double_, 1);
  const Reordering found = find_reordering(planner, matrix);
  EXPECT_TRUE(found.trials.empty());
  EXPECT_NE(found.reason.find("real values"), std::string::npos) << found.reason;
  try {
    (void)find_reordering(planner, matrix, {}, Ordering::rcm);
    ADD_FAILURE() << "an order of complex values";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(error.reason().find("complex"), std::string::npos) << error.reason();
  }
}

// Nothing is forecast where a kernel is named, so that no order can be judged.
TEST_F(ASearchForAnOrder, IsRefusedBesideANamedKernel) {
  for (const Ordering wanted : {Ordering::none, Ordering::rcm}) try {
      (void)plan_reordered({.matrix = shuffled_band(500, 2), .kernel = "csr"}, wanted);
      ADD_FAILURE() << to_string(wanted);
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ErrorCode::usage);
      EXPECT_NE(error.reason().find("order would be ignored"), std::string::npos) << error.reason();
    }
}

}  // namespace
}  // namespace sparsecast

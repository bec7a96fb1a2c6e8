// Plans on matrices that lie in the caller's own arrays: the same results as on a matrix of the library's own, read
// from the caller's arrays where the format is CSR and the precision that of the values.

#include <complex>
#include <sparsecast/csr_view.hpp>
#include <sparsecast/error.hpp>

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "formats/csr.hpp"
#include "formats/host_product.hpp"
#include "planning/rows/row_range.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"
#include "support/own_arrays.hpp"
#include "support/planned.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

// One block per kernel, of equally many rows.
Strategy blocks_of(const Matrix& matrix, const std::vector<std::string>& kernels, Precision precision, bool reordered) {
  Strategy strategy;
  strategy.device = "host";
  strategy.precision = precision;
  strategy.threads = 2;
  const auto count = static_cast<std::int64_t>(kernels.size());
  for (std::int64_t b = 0; b < count; ++b)
    strategy.blocks.push_back({.first_strip = b + 1,
                               .last_strip = b + 1,
                               .first_row = matrix.rows() * b / count,
                               .last_row = matrix.rows() * (b + 1) / count - 1,
                               .kernel = kernels[static_cast<std::size_t>(b)],
                               .reordered = reordered,
                               .seconds = 1});
  return strategy;
}

template <class Value>
constexpr Precision precision_of = std::is_same_v<Value, float> ? Precision::single_ : Precision::double_;

template <class Value>
std::vector<Value> product(const Matrix& matrix, const std::vector<std::string>& kernels, bool reordered = false) {
  const Plan plan(matrix, blocks_of(matrix, kernels, precision_of<Value>, reordered));
  std::vector<Value> x(static_cast<std::size_t>(matrix.cols())), y(static_cast<std::size_t>(matrix.rows()), -7);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(1 + 0.37 * static_cast<double>(i % 11));
  plan.apply(std::span<const Value>(x), std::span<Value>(y));
  return y;
}

// Rows of many lengths, among them empty ones.
const Matrix& ragged() {
  static const Matrix matrix = generate({"powerlaw", 0, 6, 1501, 1300, 5, {}});
  return matrix;
}

template <class Arrays>
class PlanOnLentArrays : public ::testing::Test {};
TYPED_TEST_SUITE(PlanOnLentArrays, test::LentTypes<::testing::Types>);

TYPED_TEST(PlanOnLentArrays, MultipliesBitForBitAsOnTheLibrarysOwnInBothPrecisions) {
  const TypeParam mine(ragged());
  const Matrix lent(mine.view(), "lent"), own = mine.copied();
  for (const formats::HostKernel& kernel : formats::host_kernels()) {
    const std::string name(kernel.name);
    EXPECT_EQ(product<double>(lent, {name}), product<double>(own, {name})) << name;
    EXPECT_EQ(product<float>(lent, {name}), product<float>(own, {name})) << name;
    EXPECT_EQ(product<double>(lent, {name, "csr"}), product<double>(own, {name, "csr"})) << name;
  }
  EXPECT_EQ(product<double>(lent, {"csr", "csr"}, true), product<double>(own, {"csr", "csr"}, true));
  EXPECT_EQ(product<float>(lent, {"csr", "csr"}, true), product<float>(own, {"csr", "csr"}, true));
  EXPECT_EQ(matrix_checksum(lent), matrix_checksum(own));
}

TYPED_TEST(PlanOnLentArrays, ReadsTheCallersArraysInTheCsrKernels) {
  using Value = typename TypeParam::Value;
  const TypeParam mine(ragged());
  const Matrix lent(mine.view(), "lent");
  formats::to_csr<Value>(lent, 2).visit([&](const auto& csr) {
    EXPECT_EQ(static_cast<const void*>(csr.row_pointers), mine.row_pointers.data());
    EXPECT_EQ(static_cast<const void*>(csr.column_indices), mine.column_indices.data());
    EXPECT_EQ(static_cast<const void*>(csr.values), mine.values.data());
  });
  // In the other precision only the values are the kernel's own.
  formats::to_csr<std::conditional_t<std::is_same_v<Value, double>, float, double>>(lent, 2).visit(
      [&](const auto& csr) {
        EXPECT_EQ(static_cast<const void*>(csr.column_indices), mine.column_indices.data());
        for (std::size_t k = 0; k < mine.values.size(); ++k)
          ASSERT_EQ(csr.values[k], static_cast<std::decay_t<decltype(*csr.values)>>(mine.values[k]));
      });
}

TYPED_TEST(PlanOnLentArrays, CountsTheArraysThatItReads) {
  const TypeParam mine(ragged());
  const Matrix lent(mine.view(), "lent");
  const auto precision = precision_of<typename TypeParam::Value>;
  EXPECT_EQ(Plan(lent, blocks_of(lent, {"csr"}, precision, false)).bytes(), lent.bytes());
}

TYPED_TEST(PlanOnLentArrays, CutsOutRowsWithoutCopyingColumnsOrValues) {
  const TypeParam mine(ragged());
  const Matrix rows = planning::row_range(Matrix(mine.view(), "lent"), 100, 350);
  EXPECT_TRUE(rows.is_canonical());
  rows.visit([&](const auto& csr) {
    const auto begin = mine.row_pointers[100];
    EXPECT_EQ(csr.rows, 250);
    EXPECT_EQ(csr.row_pointers.back(), mine.row_pointers[350] - begin);
    EXPECT_EQ(static_cast<const void*>(csr.column_indices.data()), mine.column_indices.data() + begin);
    EXPECT_EQ(static_cast<const void*>(csr.values.data()), mine.values.data() + begin);
  });
}

TEST(APlanOnLentArrays, SeesThroughTheArraysThemselves) {
  // Against the contract, to show that there is no copy: a value that changes under the plan changes its product.
  test::OwnArrays<double, std::int32_t, std::int32_t> mine(ragged());
  const Matrix lent(mine.view(), "lent");
  for (const auto& kernels : {std::vector<std::string>{"csr"}, {"csr-scalar"}, {"csr-merge"}, {"csr", "csr"}}) {
    const Plan plan(lent, blocks_of(lent, kernels, Precision::double_, false));
    const std::vector<double> x(static_cast<std::size_t>(lent.cols()), 1);
    std::vector<double> before(static_cast<std::size_t>(lent.rows())), after(before.size());
    plan.apply(x, before);
    mine.values.back() += 4096;
    plan.apply(x, after);
    EXPECT_NE(before, after) << kernels.front();
  }
}

using Narrow = test::OwnArrays<double, std::int32_t, std::int32_t>;

// The handle of arrays that the plan's kernels do or do not go on reading.
bool held_by_plan(const std::vector<std::string>& kernels, bool reordered = false) {
  auto arrays = std::make_shared<const Narrow>(ragged());
  const std::weak_ptr<const Narrow> alive = arrays;
  auto matrix = std::make_unique<Matrix>(arrays->view(arrays), "lent");
  arrays.reset();
  auto plan = std::make_unique<Plan>(*matrix, blocks_of(*matrix, kernels, Precision::double_, reordered));
  EXPECT_FALSE(alive.expired());
  matrix.reset();
  const bool held = !alive.expired();
  auto copy = std::make_unique<Plan>(*plan);
  plan.reset();
  std::vector<double> x(static_cast<std::size_t>(copy->cols()), 1), y(static_cast<std::size_t>(copy->rows()));
  copy->apply(x, y);
  EXPECT_EQ(held, !alive.expired());
  copy.reset();
  EXPECT_TRUE(alive.expired());
  return held;
}

TEST(APlanOnLentArrays, HoldsTheHandleAsLongAsItReadsTheArrays) {
  EXPECT_TRUE(held_by_plan({"csr"}));
  EXPECT_TRUE(held_by_plan({"csr-merge"}));
  EXPECT_TRUE(held_by_plan({"sell", "csr"}));
  EXPECT_TRUE(held_by_plan({"sell", "csr-scalar"}));
  EXPECT_FALSE(held_by_plan({"sell"}));
  EXPECT_FALSE(held_by_plan({"ell", "coo"}));
  EXPECT_FALSE(held_by_plan({"csr", "csr"}, true));
}

TEST(APlanOnLentArrays, IsFoundInOneCall) {
  const test::TemporaryFolder folder;  // fits are cached in the home folder
  setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  Profile profile = test::empty_host_profile(1);
  for (const char* kernel : {"csr", "ell"})
    test::add_grid(profile, "constant", kernel, 1, [&](double strips, double length) {
      return 1e-6 + strips * 1024 * (1e-9 + (std::string(kernel) == "csr" ? 1e-9 : 2e-9) * length);
    });
  const Narrow mine(ragged());
  const Plan plan = test::planned(Matrix(mine.view(), "lent"), profile);
  unsetenv("SPARSECAST_HOME");
  EXPECT_EQ(plan.strategy().blocks.front().kernel, "csr");
  std::vector<double> x(static_cast<std::size_t>(mine.cols), 1), y(static_cast<std::size_t>(mine.rows));
  plan.apply(x, y);
  double sum = 0, expected = 0;
  for (const double value : y) sum += value;
  for (const double value : mine.values) expected += value;
  EXPECT_NEAR(sum, expected, 1e-9 * std::abs(expected) + 1e-9 * static_cast<double>(mine.values.size()));
}

// `ell` is twice as fast in this profile, and multiplies no complex values.
TEST(APlanOnLentArrays, OfComplexValuesIsFoundAmongTheirKernels) {
  const test::TemporaryFolder folder;
  setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  Profile profile = test::empty_host_profile(1);
  for (const char* kernel : {"csr", "ell"})
    test::add_grid(profile, "constant", kernel, 1, [&](double strips, double length) {
      return 1e-6 + strips * 1024 * (1e-9 + (std::string(kernel) == "csr" ? 2e-9 : 1e-9) * length);
    });
  const Narrow mine(ragged());
  std::vector<std::complex<double>> values;
  for (const double value : mine.values) values.emplace_back(value, 2 * value);
  CsrView view = mine.view();
  view.values = std::span<const std::complex<double>>(values);
  const Matrix matrix(view, "lent");
  const Plan plan = test::planned(matrix, profile);
  EXPECT_EQ(plan.strategy().blocks.front().kernel, "csr");
  EXPECT_EQ(plan.strategy().precision, Precision::complex_double_);
  plan.save(folder.path() / "plan.json");
  const Plan again = Plan::load(folder.path() / "plan.json", matrix);
  unsetenv("SPARSECAST_HOME");
  std::vector<std::complex<double>> x(static_cast<std::size_t>(mine.cols), {1, -2}), y(mine.rows), z(mine.rows);
  plan.apply(x, y);
  again.apply(x, z);
  EXPECT_EQ(y, z);
  for (std::size_t row = 0; row < y.size(); ++row) EXPECT_NEAR(y[row].imag(), 0, 1e-12);  // (1 + 2i)(1 − 2i) = 5
  EXPECT_THROW(static_cast<void>(Plan::load(folder.path() / "plan.json", Matrix(mine.view(), "real"))), Error);
}

}  // namespace
}  // namespace sparsecast

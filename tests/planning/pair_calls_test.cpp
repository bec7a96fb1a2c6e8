// Plans for A and Aᵀ in turns: every storage of the transpose beside every kernel of A, against sums written out; AᵀA;
// new values; files; what is refused.

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <sparsecast/transpose.hpp>

#include "formats/host_product.hpp"
#include "support/command.hpp"

namespace sparsecast::pair_calls {
namespace {

Matrix of_kind(const std::string& kind) {
  if (kind == "poisson2d") return generate({.kind = kind, .parameters = {.size = 30}});
  return generate({.kind = "powerlaw", .row_length = 6, .rows = kind == "tall" ? 501 : 150, .cols = 300, .seed = 5});
}

template <class Value>
std::vector<Value> numbers(std::int64_t count) {
  std::vector<Value> x(static_cast<std::size_t>(count));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<Value>(0.4 + 0.37 * static_cast<double>(i % 11));
  return x;
}

// A·x or Aᵀ·x in double.
std::vector<double> product(const Matrix& matrix, bool transposed, const std::vector<double>& x) {
  std::vector<double> y(static_cast<std::size_t>(transposed ? matrix.cols() : matrix.rows()));
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const auto column = static_cast<std::size_t>(csr.column_indices[k]), at = static_cast<std::size_t>(row);
        y[transposed ? column : at] += static_cast<double>(csr.values[k]) * x[transposed ? at : column];
      }
  });
  return y;
}

template <class Value>
void expect_near(const std::vector<Value>& y, const std::vector<double>& expected) {
  double most = 1;
  for (const double one : expected) most = std::max(most, std::abs(one));
  ASSERT_EQ(y.size(), expected.size());
  const double unit = std::is_same_v<Value, float> ? 1e-5 : 1e-13;
  for (std::size_t i = 0; i < y.size(); ++i)
    if (!(std::abs(static_cast<double>(y[i]) - expected[i]) <= unit * most))
      FAIL() << "entry " << i << " is " << y[i] << " and not " << expected[i];
}

template <class Value>
void expect_products(const Plan& plan, const Matrix& matrix) {
  const std::vector<Value> x = numbers<Value>(matrix.cols()), u = numbers<Value>(matrix.rows());
  const std::vector<double> wide(x.begin(), x.end()), tall(u.begin(), u.end());
  std::vector<Value> y(u.size(), NAN), z(x.size(), NAN), w = z, again = z;
  plan.apply(std::span<const Value>(x), std::span<Value>(y));
  expect_near(y, product(matrix, false, wide));
  plan.apply_transposed(std::span<const Value>(u), std::span<Value>(z));
  expect_near(z, product(matrix, true, tall));
  plan.apply_gram(std::span<const Value>(x), std::span<Value>(w));
  expect_near(w, product(matrix, true, product(matrix, false, wide)));
  plan.apply_gram(std::span<const Value>(x), std::span<Value>(again));
  EXPECT_EQ(w, again);
  // α and β, and blocks, go where one vector goes.
  std::vector<double> expected = product(matrix, true, tall);
  for (std::size_t i = 0; i < expected.size(); ++i) expected[i] = 2 * expected[i] - static_cast<double>(z[i]) / 2;
  plan.apply_transposed(std::span<const Value>(u), std::span<Value>(z), 2, Value{-0.5});
  expect_near(z, expected);
  std::vector<Value> both(2 * u.size()), out(2 * x.size());
  for (std::size_t i = 0; i < u.size(); ++i) both[2 * i] = both[2 * i + 1] = u[i];
  plan.apply_transposed_block(VectorBlock<const Value>{both, 2}, VectorBlock<Value>{out, 2});
  std::vector<Value> second(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) second[i] = out[2 * i + 1];
  expect_near(second, product(matrix, true, tall));
}

Strategy pair_of(const Matrix& matrix, const std::string& kernel, TransposeStorage storage, Precision precision,
                 int threads, const std::string& other = "csr") {
  Strategy strategy = one_kernel(matrix, kernel, precision, threads);
  PlannedTranspose transpose{.storage = storage, .threads = threads};
  const std::int64_t rows = storage == TransposeStorage::transpose ? matrix.cols() : matrix.rows();
  if (storage == TransposeStorage::second_form || storage == TransposeStorage::transpose)
    transpose.blocks = {{.last_row = rows - 1, .kernel = other}};
  strategy.transpose = transpose;
  return strategy;
}

TEST(PairCalls, EveryStorageBesideEveryKernel) {
  for (const char* kind : {"tall", "flat", "poisson2d"}) {
    const Matrix matrix = of_kind(kind);
    for (const formats::HostKernel& kernel : formats::host_kernels()) {
      const std::string name(kernel.name);
      if (name.ends_with("sym") && std::string(kind) != "poisson2d") continue;
      for (const TransposeStorage storage : {TransposeStorage::symmetric, TransposeStorage::shared,
                                             TransposeStorage::second_form, TransposeStorage::transpose}) {
        for (const int threads : {1, 3}) {
          SCOPED_TRACE(std::string(kind) + ", " + name + ", " + std::string(to_string(storage)));
          expect_products<double>({matrix, pair_of(matrix, name, storage, Precision::double_, threads)}, matrix);
          expect_products<float>({matrix, pair_of(matrix, name, storage, Precision::single_, threads, "sell")}, matrix);
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST(PairCalls, TakesNewValuesForBothHalves) {
  const Matrix matrix = of_kind("poisson2d");
  const Matrix other = matrix.visit([&](const auto& csr) {  // not symmetric any more
    using C = std::decay_t<decltype(csr)>;
    Csr<typename C::Offset, typename C::Index> next{csr.rows, csr.cols, {}, {}, {}};
    next.row_pointers.assign(csr.row_pointers.begin(), csr.row_pointers.end());
    next.column_indices.assign(csr.column_indices.begin(), csr.column_indices.end());
    for (std::size_t k = 0; k < csr.values.size(); ++k) next.values.push_back(1 + 0.1 * static_cast<double>(k % 7));
    return Matrix(std::move(next), "other values");
  });
  for (const char* kernel : {"csr", "sell", "dia", "sell-compact"}) {
    for (const TransposeStorage storage : {TransposeStorage::symmetric, TransposeStorage::shared,
                                           TransposeStorage::second_form, TransposeStorage::transpose}) {
      SCOPED_TRACE(std::string(kernel) + ", " + std::string(to_string(storage)));
      Plan plan(matrix, pair_of(matrix, kernel, storage, Precision::double_, 2));
      expect_products<double>(plan, matrix);
      const Plan copy = plan;
      plan.update_values(other);
      expect_products<double>(plan, other);
      expect_products<double>(copy, matrix);
      const bool was_symmetric = storage == TransposeStorage::symmetric;
      const PlannedTranspose& now = *plan.strategy().transpose;
      EXPECT_EQ(now.storage, was_symmetric ? TransposeStorage::shared : storage);
      if (was_symmetric) {
        EXPECT_EQ(now.reason, "A is no longer symmetric: its storage serves both products");
        EXPECT_EQ(now.seconds, 0) << "nothing was forecast for it";
        EXPECT_EQ(copy.strategy().transpose->storage, TransposeStorage::symmetric);
      }
    }
  }
}

TEST(PairCalls, AreSavedAndRead) {
  const test::TemporaryFolder folder;
  const Matrix matrix = of_kind("tall");
  const std::filesystem::path file = folder.path() / "plan.json";
  const Plan plan(matrix, pair_of(matrix, "sell", TransposeStorage::transpose, Precision::double_, 1));
  plan.save(file);
  const Plan read = Plan::load(file, matrix);
  ASSERT_TRUE(read.strategy().transpose);
  EXPECT_EQ(read.strategy().transpose->storage, TransposeStorage::transpose);
  EXPECT_EQ(read.strategy().transpose->blocks.front().last_row, matrix.cols() - 1);
  EXPECT_EQ(read.bytes(), plan.bytes());
  expect_products<double>(read, matrix);
}

TEST(PairCalls, ProductsOfAText) {
  EXPECT_EQ(parse_products("A=1,A.T=2.5").transposed, 2.5);
  EXPECT_TRUE(parse_products("A,A.T").both());
  EXPECT_FALSE(parse_products("A.T=3").both());
  for (const char* wrong : {"", "A=0", "A=-1", "B=1", "A=x", "A=1;A.T=1", "A=inf", "A=nan", "A=1,A=2", "A.T,A,A.T"})
    EXPECT_THROW((void)parse_products(wrong), Error) << wrong;
}

TEST(PairCalls, RefuseWhatDoesNotFit) {
  const Matrix matrix = of_kind("tall");
  const Plan plan(matrix, pair_of(matrix, "csr", TransposeStorage::transpose, Precision::double_, 1));
  std::vector<double> x(static_cast<std::size_t>(matrix.cols())), y(x.size() + 1);
  std::vector<float> single(x.size());
  EXPECT_THROW(plan.apply_gram(x, y), Error);
  EXPECT_THROW(plan.apply_gram(x, x), Error);
  EXPECT_THROW(plan.apply_gram(std::span<const float>(single), std::span<float>(single)), Error);
  // Rows of another transpose.
  Strategy wrong = pair_of(matrix, "csr", TransposeStorage::transpose, Precision::double_, 1);
  wrong.transpose->blocks.front().last_row += 1;
  EXPECT_THROW((void)Plan(matrix, wrong), Error);
}

TEST(PairCalls, AMatrixWithoutEntriesRowsOrColumns) {
  for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 5}, {5, 0}, {1, 1}, {4, 7}}) {
    Csr<std::int32_t, std::int32_t> csr{rows, cols, {}, {}, {}};
    csr.row_pointers.assign(static_cast<std::size_t>(rows) + 1, 0);
    const Matrix matrix(std::move(csr), "nothing");
    for (const TransposeStorage storage : {TransposeStorage::shared, TransposeStorage::transpose})
      for (const char* kernel : {"csr", "sell", "sell-compact", "dia"})
        expect_products<double>({matrix, pair_of(matrix, kernel, storage, Precision::double_, 2)}, matrix);
  }
}

}  // namespace
}  // namespace sparsecast::pair_calls

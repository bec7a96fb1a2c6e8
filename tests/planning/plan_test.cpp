#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>
#include <thread>

#include "formats/host_product.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"

namespace sparsecast {
namespace {

Strategy blocks_of(const Matrix& matrix, const std::vector<std::string>& kernels, int threads,
                   Precision precision = Precision::double_, bool reordered = false) {
  Strategy strategy;
  strategy.device = "host";
  strategy.precision = precision;
  strategy.threads = threads;
  const auto count = static_cast<std::int64_t>(kernels.size());
  for (std::int64_t b = 0; b < count; ++b) {
    PlannedBlock block;
    block.first_strip = block.last_strip = b + 1;
    block.first_row = matrix.rows() * b / count;
    block.last_row = matrix.rows() * (b + 1) / count - 1;
    block.kernel = kernels[static_cast<std::size_t>(b)];
    block.reordered = reordered;
    block.seconds = static_cast<double>(1 + b % 3);
    strategy.blocks.push_back(block);
  }
  return strategy;
}

std::vector<double> input(std::int64_t size) {
  std::vector<double> x(static_cast<std::size_t>(size));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1 + 0.25 * static_cast<double>(i % 7);
  return x;
}

// y = A·x row by row, and for every row Σ|a||x|, the scale of its rounding errors.
struct Expected {
  std::vector<double> y, scale;
};
Expected expected(const Matrix& matrix, const std::vector<double>& x) {
  Expected e;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row) {
      double sum = 0, scale = 0;
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const double term = csr.values[k] * x[static_cast<std::size_t>(csr.column_indices[k])];
        sum += term;
        scale += std::abs(term);
      }
      e.y.push_back(sum);
      e.scale.push_back(scale);
    }
  });
  return e;
}

template <class Value>
void expect_product(const std::vector<Value>& y, const Expected& e, double unit) {
  ASSERT_EQ(y.size(), e.y.size());
  for (std::size_t row = 0; row < y.size(); ++row)
    ASSERT_NEAR(static_cast<double>(y[row]), e.y[row], unit * (1 + e.scale[row])) << "row " << row;
}

const Matrix& uneven() {
  // Long rows among short and empty ones.
  static const Matrix matrix = generate({"powerlaw", 0, 6, 3001, 2500, 5, {}});
  return matrix;
}

TEST(Plan, MultipliesByEveryKernelInBlocksOnAnyNumberOfThreads) {
  const std::vector<double> x = input(uneven().cols());
  const Expected e = expected(uneven(), x);
  ASSERT_EQ(formats::host_kernels().size(), 16U);
  for (const formats::HostKernel& kernel : formats::host_kernels()) {
    for (const int threads : {1, 2, 3, 7}) {
      for (const std::size_t blocks : {1U, 2U, 5U}) {
        const Plan plan(uneven(),
                        blocks_of(uneven(), std::vector<std::string>(blocks, std::string(kernel.name)), threads));
        std::vector<double> y(static_cast<std::size_t>(uneven().rows()), -7);
        plan.apply(x, y);
        expect_product(y, e, 1e-12);
        EXPECT_GT(plan.bytes(), uneven().nonzeros() * 12);  // a value and its column
      }
    }
  }
}

TEST(Plan, MultipliesByBlocksOfDifferentKernels) {
  const std::vector<double> x = input(uneven().cols());
  const Expected e = expected(uneven(), x);
  for (const bool reordered : {false, true}) {
    Strategy strategy = blocks_of(uneven(), {"csr", "sell", "csr", "coo", "hyb", "csr", "jad", "ell"}, 2);
    for (PlannedBlock& block : strategy.blocks) block.reordered = reordered && block.kernel == "csr";
    const Plan plan(uneven(), strategy);
    std::vector<double> y(static_cast<std::size_t>(uneven().rows()), -7);
    plan.apply(x, y);
    expect_product(y, e, 1e-12);
  }
}

// A stencil in its diagonals above rows that have none: the part of a thread that has none is multiplied all the same.
TEST(Plan, MultipliesBlocksInFormsMadeForAStructure) {
  const Matrix stencil = generate({.kind = "poisson2d", .parameters = {.size = 40}});
  const Matrix random = generate({"uniform", 0, 9, 1600, 1600, 5, {}});
  const auto rows = [](const Matrix& matrix) {
    Csr<std::int32_t, std::int32_t> csr{0, 1600, {0}, {}, {}};
    matrix.visit([&](const auto& from) {
      for (std::int64_t row = 0; row < from.rows; ++row) {
        for (auto k = from.row_pointers[row]; k < from.row_pointers[row + 1]; ++k) {
          csr.column_indices.push_back(static_cast<std::int32_t>(from.column_indices[k]));
          csr.values.push_back(from.values[k]);
        }
        csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
      }
      csr.rows = from.rows;
    });
    return csr;
  };
  Csr<std::int32_t, std::int32_t> both = rows(stencil);
  const Csr<std::int32_t, std::int32_t> below = rows(random);
  for (std::size_t row = 1; row < below.row_pointers.size(); ++row)
    both.row_pointers.push_back(below.row_pointers[row] + static_cast<std::int32_t>(stencil.nonzeros()));
  both.column_indices.insert(both.column_indices.end(), below.column_indices.begin(), below.column_indices.end());
  both.values.insert(both.values.end(), below.values.begin(), below.values.end());
  both.rows += below.rows;
  const Matrix matrix(std::move(both), "stencil-over-uniform");
  for (const int threads : {1, 2, 3}) {
    // The second time the form is asked of rows that have nothing for it.
    for (const char* second : {"jad", "dia", "bsr"}) {
      const std::vector<double> x = input(matrix.cols());
      std::vector<double> y(static_cast<std::size_t>(matrix.rows()), -7);
      Plan(matrix, blocks_of(matrix, {"dia", second}, threads)).apply(x, y);
      expect_product(y, expected(matrix, x), 1e-12);
    }
  }
}

TEST(Plan, UndoesTheOrderOfRows) {
  const std::vector<double> x = input(uneven().cols());
  const Plan plan(uneven(), blocks_of(uneven(), {"csr"}, 1, Precision::double_, true));
  std::vector<double> y(static_cast<std::size_t>(uneven().rows()));
  plan.apply(x, y);
  expect_product(y, expected(uneven(), x), 1e-12);
}

TEST(Plan, MultipliesInSinglePrecisionAndRefusesTheOther) {
  const std::vector<double> x = input(uneven().cols());
  const std::vector<float> single(x.begin(), x.end());
  const Plan plan(uneven(), blocks_of(uneven(), {"csr", "sell"}, 2, Precision::single_));
  std::vector<float> y(static_cast<std::size_t>(uneven().rows()));
  plan.apply(std::span<const float>(single), std::span<float>(y));
  expect_product(y, expected(uneven(), x), 1e-5);
  std::vector<double> wrong(y.size());
  EXPECT_THROW(plan.apply(std::span<const double>(x), std::span<double>(wrong)), Error);
}

TEST(Plan, MayBeAppliedByManyThreadsAtOnce) {
  const Plan plan(uneven(), blocks_of(uneven(), {"hyb", "coo", "sell", "csr"}, 2));
  const std::vector<double> x = input(uneven().cols());
  const Expected e = expected(uneven(), x);
  std::vector<std::vector<double>> results(4);
  std::vector<std::thread> callers;
  for (auto& y : results)
    callers.emplace_back([&] {
      y.resize(static_cast<std::size_t>(uneven().rows()));
      for (int i = 0; i < 20; ++i) plan.apply(x, y);
    });
  for (std::thread& caller : callers) caller.join();
  for (const auto& y : results) expect_product(y, e, 1e-12);
}

TEST(Plan, RefusesVectorsOfAnotherSizeAndBlocksThatDoNotCoverTheRows) {
  const Plan plan(uneven(), blocks_of(uneven(), {"csr"}, 1));
  std::vector<double> x(static_cast<std::size_t>(uneven().cols())), y(static_cast<std::size_t>(uneven().rows() - 1));
  EXPECT_THROW(plan.apply(x, y), Error);
  Strategy gap = blocks_of(uneven(), {"csr", "ell"}, 1);
  ++gap.blocks[1].first_row;
  EXPECT_THROW(Plan(uneven(), gap), Error);
  Strategy short_of_the_end = blocks_of(uneven(), {"csr", "ell"}, 1);
  short_of_the_end.blocks.pop_back();
  EXPECT_THROW(Plan(uneven(), short_of_the_end), Error);
}

TEST(Plan, EndsAtOnceForAnyNumberOfVectorsWithoutEntries) {
  static constexpr std::array<std::int64_t, 1> row_pointers{0};
  const Matrix nothing({0, 0, row_pointers, std::span<const std::int64_t>(), std::span<const double>(), nullptr},
                       "nothing");
  const Plan plan(nothing, one_kernel(nothing, "csr", Precision::double_, 2));
  for (const BlockOrder order : {BlockOrder::row_major, BlockOrder::column_major}) {
    const std::int64_t many = std::int64_t{1} << 60;
    plan.apply_block(VectorBlock<const double>{{}, many, 0, order}, VectorBlock<double>{{}, many, 0, order});
    plan.apply_transposed_block(VectorBlock<const double>{{}, many, 0, order}, VectorBlock<double>{{}, many, 0, order});
  }
}

TEST(SavedPlan, ComesBackTheSame) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "plan.json";
  Strategy strategy = blocks_of(uneven(), {"csr", "sell", "coo"}, 2);
  strategy.reason = "for a test";
  const Plan plan(uneven(), strategy);
  plan.save(file);
  const Plan loaded = Plan::load(file, uneven().renamed("under another name"));
  ASSERT_EQ(loaded.strategy().blocks.size(), 3U);
  EXPECT_EQ(loaded.strategy().blocks[2].kernel, "coo");
  EXPECT_EQ(loaded.strategy().blocks[1].last_row, strategy.blocks[1].last_row);
  EXPECT_EQ(loaded.strategy().reason, "for a test");
  EXPECT_EQ(loaded.bytes(), plan.bytes());
}

TEST(SavedPlan, IsRefusedForAnotherMatrix) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "plan.json";
  Plan(uneven(), blocks_of(uneven(), {"csr"}, 1)).save(file);
  // The same pattern with one value changed.
  const Matrix other = uneven().visit([](const auto& csr) {
    auto values = std::make_shared<std::vector<double>>(csr.values.begin(), csr.values.end());
    (*values)[17] += 1e-9;
    return Matrix({csr.rows, csr.cols, csr.row_pointers, csr.column_indices, *values, values}, "other");
  });
  try {
    (void)Plan::load(file, other);
    FAIL() << "accepted";
  } catch (const Error& refused) {
    EXPECT_EQ(refused.code(), ErrorCode::bad_input);
    EXPECT_NE(refused.reason().find("not made for the matrix"), std::string::npos);
    EXPECT_EQ(refused.place().file, file.string());
  }
}

TEST(SavedPlan, IsRefusedWhereItIsNone) {
  const test::TemporaryFolder folder;
  const auto good = folder.path() / "good.json";
  Plan(uneven(), blocks_of(uneven(), {"csr", "ell"}, 1)).save(good);
  const std::string text = test::read_text(good);
  const auto damaged = [&](const std::string& from, const std::string& to) {
    std::string copy = text;
    const auto at = copy.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) copy.replace(at, from.size(), to);
    return copy;
  };
  for (const std::string& bad :
       {std::string(), std::string("{"), std::string("[1]"), std::string("{}"), text.substr(0, text.size() / 2),
        damaged("sparsecast/plan/1", "sparsecast/plan/9"), damaged("\"first_row\": 0", "\"first_row\": 3"),
        damaged("\"first_row\": 0", "\"first_row\": \"none\""), damaged("\"kernel\": \"csr\"", "\"kernel\": \"magic\""),
        damaged("\"threads\": 1", "\"threads\": 1000000")}) {
    const auto file = folder.write("bad.json", bad);
    EXPECT_THROW((void)Plan::load(file, uneven()), Error) << bad.substr(0, 200);
  }
  EXPECT_THROW((void)Plan::load(folder.path() / "missing.json", uneven()), Error);
}

TEST(MatrixChecksum, DependsOnEverything) {
  const Matrix a = test::random_matrix(50, 40, 300, 1);
  EXPECT_EQ(matrix_checksum(a), matrix_checksum(a.renamed("b")));
  EXPECT_NE(matrix_checksum(a), matrix_checksum(test::random_matrix(50, 40, 300, 2)));
  EXPECT_NE(matrix_checksum(a), matrix_checksum(test::random_matrix(50, 41, 300, 1)));
}

}  // namespace
}  // namespace sparsecast

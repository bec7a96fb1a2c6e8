#include "cluster/scheme/partition.hpp"

#include <gtest/gtest.h>

#include <pthread.h>
#include <algorithm>
#include <chrono>
#include <csignal>
#include <optional>
#include <set>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <thread>

#include "base/interrupt.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {

Matrix made(const std::string& kind, std::int64_t rows, double row_length, const MatrixParameters& parameters = {}) {
  MatrixSpec spec;
  spec.kind = kind;
  spec.rows = rows;
  spec.row_length = row_length;
  spec.parameters = parameters;
  return generate(spec);
}

class Partition : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  }
};

TEST_F(Partition, CutsAGridIntoEqualPartsWithShortBorders) {
  const Matrix grid = made("poisson2d", 0, 0, {.size = 40});
  const auto parts = partition_rows(grid, 4);
  std::vector<int> sizes(4, 0);
  for (const std::int32_t part : parts) ++sizes.at(static_cast<std::size_t>(part));
  for (const int size : sizes) EXPECT_NEAR(size, 400, 400 * 0.1);
  std::int64_t cut = 0;
  grid.visit([&](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        cut += parts[r] != parts[csr.column_indices[k]] ? 1 : 0;
  });
  EXPECT_LT(cut, 2 * 140);  // four quadrants cut 2 · 40 edges, seen from both sides
}

TEST_F(Partition, IsTheSameOnEveryRun) {
  const Matrix matrix = made("powerlaw", 500, 6);
  EXPECT_EQ(partition_rows(matrix, 7), partition_rows(matrix, 7));
}

TEST_F(Partition, TakesUnsymmetricMatricesAndEmptyRows) {
  const auto parts = partition_rows(made("random", 300, 1), 8);
  EXPECT_EQ(parts.size(), 300u);
  EXPECT_TRUE(std::ranges::all_of(parts, [](std::int32_t p) { return p >= 0 && p < 8; }));
}

TEST_F(Partition, GivesOneRowEachWhereThereAreMoreProcesses) {
  EXPECT_EQ(partition_rows(made("random", 3, 2), 5), (std::vector<std::int32_t>{0, 1, 2}));
}

TEST_F(Partition, SpreadsADiagonalMatrixEvenly) {
  Csr<std::int32_t, std::int32_t> csr{6, 6, {}, {}, {}};
  for (std::int32_t r = 0; r <= 6; ++r) csr.row_pointers.push_back(r);
  for (std::int32_t r = 0; r < 6; ++r) csr.column_indices.push_back(r), csr.values.push_back(1);
  EXPECT_EQ(partition_rows(Matrix(csr, "diagonal"), 3), (std::vector<std::int32_t>{0, 0, 1, 1, 2, 2}));
}

// METIS takes the signal while it works; who asked for the end must not be told of an error of METIS's.
TEST_F(Partition, EndsAsInterruptedWhereTheProcessIsToldToEnd) {
  const Matrix grid = made("poisson3d", 0, 0, {.size = 70});
  auto* const before = std::signal(SIGTERM, [](int) { base::request_interrupt(); });
  const pthread_t own = pthread_self();
  std::thread sender([own] {
    std::this_thread::sleep_for(std::chrono::milliseconds(250));
    pthread_kill(own, SIGTERM);
  });
  std::optional<ErrorCode> code;
  try {
    (void)partition_rows(grid, 64);
  } catch (const Error& error) {
    code = error.code();
  }
  sender.join();
  base::forget_interrupt();
  EXPECT_EQ(code, ErrorCode::interrupted);
  EXPECT_NE(std::signal(SIGTERM, before), SIG_DFL) << "the handler was METIS's, and served once";
}

TEST(RowOrder, PutsTheRowsOfAPartTogether) {
  const RowOrder order = order_rows({1, 0, 2, 0, 1}, 4);
  EXPECT_EQ(order.first, (std::vector<std::int64_t>{0, 2, 4, 5, 5}));
  EXPECT_EQ(order.row, (std::vector<std::int64_t>{1, 3, 0, 4, 2}));
  EXPECT_EQ(order.position, (std::vector<std::int64_t>{2, 0, 4, 1, 3}));
  for (std::int64_t at = 0; at < 5; ++at)
    EXPECT_EQ(order.owner(at), (std::vector<int>{0, 0, 1, 1, 2})[static_cast<std::size_t>(at)]);
}

TEST(RowOrder, NeedsASquareMatrix) {
  EXPECT_THROW(
      partition_rows(Matrix(Csr<std::int32_t, std::int32_t>{1, 2, Array<std::int32_t>(2, 0), {}, {}}, "wide"), 2),
      Error);
}

}  // namespace
}  // namespace sparsecast::cluster

#include "cluster/features/rank_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "cluster/scheme/index_permutation.hpp"
#include "made_up.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
// The parts of all ranks together give A·x.
void expect_parts_multiply(const Matrix& matrix, Scheme scheme, int processes) {
  if (scheme != Scheme::two_d_uniform && processes > 1 && !has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const auto n = static_cast<std::size_t>(matrix.rows());
  std::vector<double> x(n), expected(n, 0.0), y(n, 0.0);
  std::iota(x.begin(), x.end(), 1.0);
  matrix.visit([&](const auto& csr) {
    for (std::size_t r = 0; r < n; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        expected[r] += csr.values[k] * x[csr.column_indices[k]];
  });
  const Placement placement = place(matrix, processes, 11, scheme != Scheme::two_d_uniform);
  const IndexPermutation permute(matrix.rows(), 11);
  const Grid grid = grid_of(processes);
  std::int64_t received = 0, announced = 0;
  for_each_part(matrix, scheme, placement, [&](const RankPart& part) {
    const auto row_at = [&](std::int64_t local) {
      return scheme == Scheme::two_d_uniform ? permute.inverse(part.rank / grid.columns * part.own.rows + local)
                                             : placement.order.row[placement.order.first[part.rank] + local];
    };
    const auto x_at = [&](std::int64_t column, bool remote) {
      if (scheme == Scheme::two_d_uniform)
        return x[permute.inverse(part.rank % grid.columns * part.own.columns + column)];
      if (scheme == Scheme::global_rows) return x[placement.order.row[column]];
      return x[placement.order.row[remote ? part.received[column] : placement.order.first[part.rank] + column]];
    };
    for (const bool remote : {false, true}) {
      const CsrBlock& block = remote ? part.remote : part.own;
      for (std::int64_t r = 0; r < block.rows; ++r)
        for (auto k = block.row_pointers[r]; k < block.row_pointers[r + 1]; ++k)
          y[row_at(r)] += block.values[k] * x_at(block.column_indices[k], remote);
    }
    received += static_cast<std::int64_t>(part.received.size());
    for (const Message& message : part.receives) {
      EXPECT_NE(message.rank, part.rank);
      announced += message.count;
    }
  });
  EXPECT_EQ(received, announced);
  for (std::size_t r = 0; r < n; ++r)
    EXPECT_NEAR(y[r], expected[r], 1e-9 * (1 + std::abs(expected[r]))) << to_string(scheme) << " row " << r;
}

TEST(RankParts, TogetherMultiplyLikeTheWhole) {
  for (const Scheme scheme : all_schemes())
    for (const int processes : {1, 4, 6, 8, 9}) {
      expect_parts_multiply(small_matrix("poisson2d", 0, 0, {.size = 7}), scheme, processes);
      expect_parts_multiply(small_matrix("powerlaw", 80, 5, {}), scheme, processes);
      expect_parts_multiply(small_matrix("random", 5, 2, {}), scheme, processes);  // more processes than rows
    }
}
}  // namespace
}  // namespace sparsecast::cluster

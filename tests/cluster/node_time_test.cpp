#include "cluster/node/node_time.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
TEST(NodeMatrix, HoldsTheBlocksOfItsRanksAndNothingElse) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const Matrix matrix = grid_matrix(20);
  const Placement placement = place(matrix, 8, 1, true);
  const SchemeFeatures f = scheme_features(matrix, Scheme::local_rows, placement, {}, 4);
  double nonzeros = 0, columns = 0;
  for (int rank = 4; rank < 8; ++rank) {
    const RankFeatures& one = f.ranks[static_cast<std::size_t>(rank)];
    nonzeros += one.own.nonzeros + one.remote.nonzeros;
    columns += one.own.columns + one.received;
  }
  const Matrix node = node_matrix(matrix, Scheme::local_rows, placement, 4, 8);
  EXPECT_TRUE(node.is_canonical());
  EXPECT_EQ(node.nonzeros(), static_cast<std::int64_t>(nonzeros));
  EXPECT_EQ(node.cols(), static_cast<std::int64_t>(columns));
  // All of x on every rank, as far as there is room.
  EXPECT_EQ(node_matrix(matrix, Scheme::global_rows, placement, 0, 4).cols(), 4 * 400);
  EXPECT_EQ(node_matrix(matrix, Scheme::global_rows, placement, 0, 4, 800).cols(), 800);
}
}  // namespace
}  // namespace sparsecast::cluster

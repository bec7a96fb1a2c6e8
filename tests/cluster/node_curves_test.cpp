#include "cluster/node_curves.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {
TEST(NodeCurves, OfRanksWithThreadsAddTheirCores) {
  const std::vector<BandwidthCurve> cores{{8, 1, {1e6}, {1e10}}, {8, 2, {1e6}, {9e9}}, {8, 4, {1e6}, {6e9}}};
  const auto ranks = of_ranks(cores, 2);
  ASSERT_EQ(ranks.size(), 2u);
  EXPECT_EQ(ranks[0].busy, 1);
  EXPECT_EQ(ranks[0].bytes, std::vector<double>{2e6});
  EXPECT_EQ(ranks[0].rate, std::vector<double>{1.8e10});
  EXPECT_EQ(ranks[1].busy, 2);
  EXPECT_EQ(ranks[1].rate, std::vector<double>{1.2e10});
}
}  // namespace
}  // namespace sparsecast::cluster

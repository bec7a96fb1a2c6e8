#include "cluster/models/core_model.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(CoreModel, LearnsTheCostOfABlock) {
  const ClusterProfile p = made_up_profile();
  const CoreModel core(p);
  for (const RankFeatures& rank : target_features(p, 4).ranks)
    EXPECT_NEAR(core.seconds(rank.own, LocalFormat::csr) / block_truth(rank.own), 1, 0.1);
}

TEST(CoreModel, FindsHowMuchTheBranchPredictorRemembers) {
  // Blocks of which half the rows change length; their changes cost 8 ns each once there are 100,000 bits and more.
  const auto truth = [](const BlockFeatures& f) {
    return block_truth(f) + (f.length_bits > 1e5 ? 8e-9 * f.length_changes : 0);
  };
  const auto block = [](double rows) { return BlockFeatures{rows, rows, 3 * rows, 0, rows / 2, 2 * rows, 0, {}}; };
  ClusterProfile p = made_up_profile();
  for (double rows = 1000; rows < 400000; rows *= 1.2)
    p.blocks.push_back({LocalFormat::csr, block(rows), truth(block(rows))});
  const CoreModel core(p);
  for (const double rows : {10000, 40000, 120000, 300000})
    EXPECT_NEAR(core.seconds(block(rows), LocalFormat::csr) / truth(block(rows)), 1, 0.15) << rows;
}
}  // namespace
}  // namespace sparsecast::cluster

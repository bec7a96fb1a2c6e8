#include "cluster/models/message_curves.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(MessageCurves, PassThroughThePointsAndInterpolate) {
  const ClusterProfile p = made_up_profile();
  const MessageCurves curves(p);
  EXPECT_DOUBLE_EQ(*curves.seconds(MessagePattern::grid, 4, 512), message_truth(512, 4));
  EXPECT_NEAR(*curves.seconds(MessagePattern::grid, 4, 3000), message_truth(3000, 4), 0.15 * message_truth(3000, 4));
  EXPECT_GT(*curves.seconds(MessagePattern::grid, 64, 512), *curves.seconds(MessagePattern::grid, 16, 512));
  EXPECT_DOUBLE_EQ(*curves.seconds(MessagePattern::grid, 4, 1),
                   message_truth(8, 4));  // no message is cheaper than the smallest
  EXPECT_FALSE(curves.seconds(MessagePattern::halo, 4, 8).has_value());
}
}  // namespace
}  // namespace sparsecast::cluster

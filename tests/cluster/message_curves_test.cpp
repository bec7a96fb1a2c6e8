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

TEST(MessageCurves, GoOnFromTheLastCountAndNeverFallBelowIt) {
  ClusterProfile p;
  const auto measured = [&](int processes, double seconds) {
    for (const double bytes : {8.0, 1024.0})
      p.messages.push_back({MessagePattern::allgatherv, processes, 1, bytes, 0, seconds});
  };
  measured(1, 1e-8);
  measured(2, 1e-6);
  measured(4, 64e-6);  // more processes than cores
  const MessageCurves curves(p);
  const auto at = [&](int processes) { return *curves.seconds(MessagePattern::allgatherv, processes, 100); };
  EXPECT_NEAR(at(5), 64e-6 * 5 / 4, 1e-12);  // in proportion to the processes at most
  EXPECT_NEAR(at(144), 64e-6 * 36, 1e-12);
  EXPECT_NEAR(at(1), 1e-8, 1e-15);
  // Where the last counts took the same time, what is beyond them has more rounds still.
  for (MessageTime& m : p.messages) m.seconds = 1e-6;
  EXPECT_NEAR(*MessageCurves(p).seconds(MessagePattern::allgatherv, 64, 100), 3e-6, 1e-12);
  // What one process copies is no message.
  std::erase_if(p.messages, [](const MessageTime& m) { return m.processes > 1; });
  EXPECT_FALSE(MessageCurves(p).seconds(MessagePattern::allgatherv, 4, 100).has_value());
}
TEST(MessageCurves, JumpAtThePowerOfTwoBetweenTheSizesAroundAJump) {
  ClusterProfile p;
  const auto measured = [&](double bytes, double seconds) {
    p.messages.push_back({MessagePattern::allgatherv, 64, 1, bytes, 0, seconds});
  };
  measured(1000, 1e-6);
  measured(1030, 4e-6);  // around 1024
  measured(262112, 439e-6);
  measured(273712, 84e-6);   // around 262144
  measured(600000, 100e-6);  // nothing jumps
  measured(700000, 300e-6);  // a jump without a power of two
  const MessageCurves curves(p);
  const auto at = [&](double bytes) { return *curves.seconds(MessagePattern::allgatherv, 64, bytes); };
  EXPECT_NEAR(at(1023), 1e-6, 1e-12);
  EXPECT_NEAR(at(1024), 4e-6, 1e-12);
  EXPECT_NEAR(at(262143), 439e-6, 1e-9);
  EXPECT_NEAR(at(262144), 84e-6, 1e-9);
  EXPECT_NEAR(at(262112), 439e-6, 1e-12);  // what was measured stays
  EXPECT_NEAR(at(273712), 84e-6, 1e-12);
  EXPECT_GT(at(650000), 101e-6);
  EXPECT_LT(at(650000), 299e-6);
}
}  // namespace
}  // namespace sparsecast::cluster

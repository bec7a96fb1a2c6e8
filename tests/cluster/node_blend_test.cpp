#include "cluster/models/node_blend.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace sparsecast::cluster {
namespace {
TEST(NodeBlend, TakesTheForecastThatFollowsTheRuns) {
  // The profile's forecasts are a third too fast throughout; those by blocks are right in the middle and scatter.
  std::vector<BlendSample> samples;
  for (int k = 0; k < 20; ++k) {
    const double truth = std::pow(1.7, k);
    samples.push_back({truth, truth * (k % 2 == 0 ? 1.5 : 1 / 1.5), truth / 1.5});
  }
  const NodeBlend blend = fit_blend(samples);
  EXPECT_EQ(blend.weight, 1);
  // Half again as long, of which twenty runs are believed five eighths.
  EXPECT_NEAR(blend.seconds(7, 2), 2 * std::pow(1.5, 20. / 32), 1e-9);
  EXPECT_EQ(blend.seconds(7, 0), 7);  // the profile does not tell
  for (BlendSample& s : samples) std::swap(s.by_blocks, s.by_node);
  EXPECT_EQ(fit_blend(samples).weight, 0);
  EXPECT_EQ(fit_blend(std::span(samples).first(4)).weight, 1);  // four runs do not tell
  EXPECT_EQ(fit_blend(std::span(samples).first(2)).weight, 0);  // nor do two what its factor is
}
}  // namespace
}  // namespace sparsecast::cluster

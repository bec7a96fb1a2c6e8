#include "cluster/models/choice.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <string>

#include "cluster/models/scaling_picture.hpp"
#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
ClusterForecast parted(int processes, double core, double messages, double latency = 0) {
  ClusterForecast f = one_second(processes);
  f.model = "sparsecast";
  f.core_s = core;
  f.communication_s = messages;
  f.latency_s = latency;
  f.seconds = core + messages;
  return f;
}

TEST(Choice, TellsWhereScalingEndsAndWhy) {
  EXPECT_EQ(choose({parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 4)}).end.reason, "messages");
  EXPECT_EQ(choose({parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 4, 3)}).end.reason, "latency");
  const ScalingEnd end = choose({parted(1, 8, 0), parted(4, 5, 0.1), parted(16, 5, 0.2)}).end;
  EXPECT_EQ(end.reason, "products");
  EXPECT_EQ(end.processes, 4);
  EXPECT_TRUE(end.seen);
  // Messages that stay as long, beside products that shrink as they ought to.
  EXPECT_EQ(choose({parted(1, 0.172, 3.04), parted(2, 0.098, 3.00)}).end.reason, "messages");
  EXPECT_FALSE(choose({parted(1, 8, 0), parted(4, 2, 1)}).end.seen);
}

TEST(Choice, TakesTheFewestNodesThatAreInTime) {
  const std::vector<ClusterForecast> forecasts{parted(1, 8, 0), parted(4, 2, 1), parted(16, 0.5, 1)};
  const auto found = done_within(forecasts, 300, 100);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->processes, 4);
  EXPECT_DOUBLE_EQ(node_hours(*found, 100), 4 * 300 / 3600.0);
  EXPECT_FALSE(done_within(forecasts, 100, 100));
}

ClusterForecast extrapolated(int processes, double core, double messages) {
  ClusterForecast f = parted(processes, core, messages);
  f.extrapolated = true;
  return f;
}

TEST(Choice, AdvisesNoCountThatWasNotCalibratedBesideThoseThatWere) {
  const std::vector<ClusterForecast> forecasts{parted(1, 8, 0), parted(4, 2, 1), extrapolated(144, 1e-4, 1e-4)};
  const ClusterChoice choice = choose(forecasts);
  EXPECT_EQ(choice.recommended.processes, 4);
  EXPECT_EQ(choice.fastest.processes, 4);
  EXPECT_NE(choice.reason.find("144 processes, on which the profile was not calibrated"), std::string::npos)
      << choice.reason;
  // Nor does an extrapolation tell where scaling ends.
  EXPECT_FALSE(choice.end.seen);
  EXPECT_EQ(choice.end.processes, 4);
  EXPECT_FALSE(choose({parted(1, 8, 0), parted(4, 2, 1), extrapolated(144, 9, 9)}).end.seen);
  // The picture has all of them, and which are extrapolated.
  ASSERT_EQ(choice.scaling.size(), 3u);
  for (const ScalingPoint& point : choice.scaling) EXPECT_EQ(point.extrapolated, point.processes == 144);
  // In time on 144 alone, which nobody knows.
  EXPECT_FALSE(done_within(forecasts, 1, 1));
}

TEST(Choice, SaysSoWhereAllIsExtrapolated) {
  const ClusterChoice choice = choose({extrapolated(64, 2, 1), extrapolated(144, 1, 1)});
  EXPECT_EQ(choice.recommended.processes, 144);
  EXPECT_TRUE(choice.recommended.extrapolated);
  EXPECT_NE(choice.reason.find("extrapolated"), std::string::npos) << choice.reason;
}

ClusterForecast forecast(Scheme scheme, int processes, double seconds) {
  return {scheme, LocalFormat::csr, "sparsecast", processes, 1, seconds, seconds / 2, seconds / 2, false};
}

TEST(Choice, TakesTheFewestProcessesWithinTenPercent) {
  const ClusterChoice choice = choose({forecast(Scheme::local_rows, 1, 10), forecast(Scheme::local_rows, 4, 1.09),
                                       forecast(Scheme::global_rows, 4, 1.05), forecast(Scheme::local_rows, 16, 1.0),
                                       forecast(Scheme::two_d_uniform, 16, 3)});
  EXPECT_EQ(choice.fastest.processes, 16);
  EXPECT_EQ(choice.recommended.processes, 4);
  EXPECT_EQ(choice.recommended.scheme, Scheme::global_rows);
  EXPECT_NE(choice.reason.find("within 10 %"), std::string::npos);
  EXPECT_EQ(choice.scaling.size(), 5u);
  const auto point = std::ranges::find_if(
      choice.scaling, [](const ScalingPoint& one) { return one.scheme == Scheme::local_rows && one.processes == 16; });
  ASSERT_NE(point, choice.scaling.end());
  EXPECT_DOUBLE_EQ(point->efficiency, 10.0 / 16);
  EXPECT_NE(scaling_picture(choice.scaling).find('l'), std::string::npos);
}

TEST(Choice, OfNothingIsAnError) { EXPECT_THROW(choose({}), Error); }
}  // namespace
}  // namespace sparsecast::cluster

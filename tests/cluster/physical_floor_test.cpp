#include "cluster/models/physical_floor.hpp"

#include <gtest/gtest.h>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
// 20 GB/s, multiply-adds of 0.1 ns; messages of 2 µs at 1 GB/s between two processes, of 0.1 µs on one.
ClusterProfile known_profile() {
  ClusterProfile p;
  p.node.bandwidth = {{8, 1, {1e4, 1e8}, {1e10, 2e10}}};
  p.node.fma_s = 1e-10;
  for (const double bytes : {8.0, 1e6}) {
    p.messages.push_back({MessagePattern::allgatherv, 1, 1, bytes, 0, 1e-7});
    p.messages.push_back({MessagePattern::ping_pong_near, 2, 1, bytes, 1, std::max(2e-6, bytes * 1e-9)});
    p.messages.push_back({MessagePattern::allgatherv, 2, 1, bytes, 0, 1e-6 + bytes * 2e-9});
  }
  return p;
}

SchemeFeatures features_of(Scheme scheme, int processes, double nonzeros) {
  SchemeFeatures f;
  f.scheme = scheme;
  f.processes = processes;
  f.rows = 1000;
  f.nonzeros = static_cast<std::int64_t>(nonzeros) * processes;
  f.ranks.resize(static_cast<std::size_t>(processes));
  for (RankFeatures& rank : f.ranks) rank.own = {0, 1000, nonzeros, 0, 0, 0, 0, {}};
  return f;
}

TEST(PhysicalFloors, AreARanksOwnProductAndAMessage) {
  const PhysicalFloor floor(known_profile());
  // 12 bytes an entry at twice 20 GB/s.
  const SchemeFeatures one = features_of(Scheme::global_rows, 1, 1e6);
  EXPECT_NEAR(floor.product_seconds(one, LocalFormat::csr), 12e6 / 4e10, 1e-12);
  EXPECT_EQ(floor.message_seconds(one), 0);
  // A vector of 8000 bytes, all but its own part, at 1 GB/s; on few rows the latency, which is no copy's 0.1 µs.
  EXPECT_NEAR(floor.message_seconds(features_of(Scheme::global_rows, 4, 10)), 6e-6, 1e-12);
  SchemeFeatures few = features_of(Scheme::global_rows, 4, 10);
  few.rows = 4;
  EXPECT_NEAR(floor.message_seconds(few), 2e-6, 1e-12);
  // Parts that have nothing to tell each other.
  SchemeFeatures local = features_of(Scheme::local_rows, 4, 10);
  EXPECT_EQ(floor.message_seconds(local), 0);
  local.load.messages = 1;
  local.load.near_bytes = 8;
  EXPECT_NEAR(floor.message_seconds(local), 2e-6, 1e-12);
}

TEST(PhysicalFloors, AreNotAboveWhatWasMeasured) {
  ClusterProfile profile = known_profile();
  const PhysicalFloor by_messages(profile);
  TrainingRun run;
  run.features.scheme = Scheme::global_rows;
  run.features.processes = 4;
  run.features.rows = 1000;
  run.features.ranks.resize(4);
  run.features.ranks[0].own = {250, 250, 1000, 0, 0, 0, 0, {}};
  run.seconds = by_messages.seconds(run.features, run.format) / 3;
  profile.runs.push_back(run);
  EXPECT_DOUBLE_EQ(PhysicalFloor(profile).seconds(run.features, run.format), run.seconds);
}

TEST(PhysicalFloors, HoldForecastsAndTheirIntervals) {
  const PhysicalFloor floor(known_profile());
  const SchemeFeatures f = features_of(Scheme::global_rows, 4, 10);
  ClusterForecast low = one_second(4);
  low.seconds = 1.3e-9;
  low.low_s = 1e-12;
  low.high_s = 0.09;
  low.core_s = 1.3e-9;
  floor.hold(low, f);
  EXPECT_NEAR(low.seconds, 6e-6, 1e-12);
  EXPECT_NEAR(low.low_s, 6e-6, 1e-12);
  EXPECT_DOUBLE_EQ(low.high_s, 0.09);
  EXPECT_GE(low.communication_s, 2e-6);
  EXPECT_DOUBLE_EQ(low.core_s + low.communication_s, low.seconds);
  // A forecast and all of its interval below the floor: refuted, and not the more certain for it.
  ClusterForecast refuted = one_second(4);
  refuted.seconds = 1e-9;
  refuted.low_s = 0.9e-9;
  refuted.high_s = 1.5e-9;
  floor.hold(refuted, f);
  EXPECT_NEAR(refuted.high_s / refuted.seconds, 1.5, 1e-9);
  refuted.seconds = 1e-9;
  refuted.high_s = 1e-6;
  floor.hold(refuted, f);
  EXPECT_NEAR(refuted.high_s / refuted.seconds, 2.718, 1e-3);
  // What is possible stays as it is.
  ClusterForecast sound = one_second(4);
  sound.core_s = 0.75;
  sound.communication_s = 0.25;
  sound.low_s = 0.5;
  sound.high_s = 2;
  floor.hold(sound, f);
  EXPECT_EQ(sound.seconds, 1);
  EXPECT_EQ(sound.core_s, 0.75);
  EXPECT_EQ(sound.low_s, 0.5);
  // A model without parts gets none.
  ClusterForecast whole = one_second(4);
  floor.hold(whole, f);
  EXPECT_EQ(whole.core_s + whole.communication_s, 0);
}
}  // namespace
}  // namespace sparsecast::cluster

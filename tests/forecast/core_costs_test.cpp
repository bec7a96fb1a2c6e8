
#include <gtest/gtest.h>

#include "forecast/physical/core_costs.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast::core_costs {
namespace {
using forecast::CoreCosts;

Profile bare() {
  Profile profile = test::empty_host_profile(1);
  profile.curves.clear();
  profile.properties.clock_hz = 2e9;
  return profile;
}

TEST(CoreCosts, AreMeasured) {
  Profile profile = bare();
  profile.curves = {{"latency", 1, {8192, 1 << 28}, {1e-9, 9e-8}},
                    {"fresh_bandwidth", 1, {1 << 18, 1 << 24}, {2e9, 8e9}}};
  const CoreCosts core(profile);
  EXPECT_DOUBLE_EQ(core.load_s, 1e-9);
  EXPECT_DOUBLE_EQ(core.cycle_s, 2e-10) << "a fifth of such a load";
  EXPECT_DOUBLE_EQ(core.far_s, 9e-8);
  EXPECT_DOUBLE_EQ(core.fresh_byte_s, 5e-10);
  EXPECT_DOUBLE_EQ(core.fresh_large_byte_s, 1.25e-10);
}

TEST(CoreCosts, OfOlderProfilesFollowFromWhatTheyTell) {
  Profile profile = bare();
  const CoreCosts core(profile);
  EXPECT_DOUBLE_EQ(core.cycle_s, 5e-10) << "by the clock";
  EXPECT_DOUBLE_EQ(core.load_s, 2.5e-9);
  EXPECT_DOUBLE_EQ(core.fresh_byte_s, 1e-10) << "ten gigabytes a second";
  EXPECT_DOUBLE_EQ(core.fresh_large_byte_s, core.fresh_byte_s);
}

TEST(CoreCosts, WithoutAnyThingAreThoseOfAnUsualCore) {
  Profile profile = bare();
  profile.properties.clock_hz = 0;
  const CoreCosts core(profile);
  EXPECT_NEAR(core.cycle_s, 1 / 3e9, 1e-15);
  EXPECT_DOUBLE_EQ(core.far_s, 1e-7);
  EXPECT_DOUBLE_EQ(core.fresh_byte_s, 1e-10);
}

}  // namespace
}  // namespace sparsecast::core_costs

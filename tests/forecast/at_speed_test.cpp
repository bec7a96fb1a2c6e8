
#include <gtest/gtest.h>

#include "forecast/physical/at_speed.hpp"

namespace sparsecast {
namespace {

DeviceProperties with_last_cache(std::int64_t bytes) {
  DeviceProperties properties;
  properties.caches = {{1, 48 << 10, 64, 1}, {3, bytes, 64, 8}};
  return properties;
}

TEST(AtSpeed, CachedProductsMoveWithTheCoreAndOthersDoNot) {
  const DeviceProperties properties = with_last_cache(32 << 20);
  EXPECT_NEAR(forecast::speed_factor(properties, 1e5, 1e-9, 1.1e-9), 1.1, 1e-3);
  EXPECT_NEAR(forecast::speed_factor(properties, 32 << 20, 1e-9, 1.21e-9), 1.1, 1e-9) << "half and half at the edge";
  EXPECT_NEAR(forecast::speed_factor(properties, 1e10, 1e-9, 1.1e-9), 1.0, 1e-3);
  EXPECT_NEAR(
      forecast::speed_factor(properties, 1e5, 1e-9, 1.1e-9) * forecast::speed_factor(properties, 1e5, 1.1e-9, 1e-9),
      1.0, 1e-12);
}

TEST(AtSpeed, UnknownSpeedsChangeNothing) {
  EXPECT_EQ(forecast::speed_factor(with_last_cache(1 << 20), 1e3, 0, 1e-9), 1);
  EXPECT_EQ(forecast::speed_factor(with_last_cache(1 << 20), 1e3, 1e-9, 0), 1);
}

TEST(AtSpeed, TheReferenceIsTheMedianOfTheRecordsThatTell) {
  Profile profile;
  for (const double step : {3e-9, 0.0, 1e-9, 2e-9}) {
    Record record;
    record.threads = 1;
    record.step_s = step;
    profile.records.push_back(record);
  }
  profile.records.push_back(profile.records.front());
  profile.records.back().threads = 2;
  EXPECT_DOUBLE_EQ(forecast::reference_step(profile, {Precision::double_, 1}), 2e-9);
  EXPECT_DOUBLE_EQ(forecast::reference_step(profile, {Precision::double_, 2}), 3e-9);
  EXPECT_EQ(forecast::reference_step(profile, {Precision::single_, 1}), 0);
  EXPECT_EQ(forecast::reference_launch(profile, {Precision::double_, 2}), 0) << "none tells";
  profile.records.back().launch_s = 5e-7;
  EXPECT_DOUBLE_EQ(forecast::reference_launch(profile, {Precision::double_, 2}), 5e-7);
}

}  // namespace
}  // namespace sparsecast

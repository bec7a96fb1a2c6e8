// When a machine is said to have drifted: numbers that are given, nothing is timed.

#include "forecast/drift.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/command.hpp"

namespace sparsecast::forecast {
namespace {

// Ten products that take `factor` times as long as recorded, but for the last two, which were interrupted.
std::vector<ProbedProduct> products(double factor) {
  std::vector<ProbedProduct> all(10, {1e-5, factor * 1e-5, 0.1});
  all[8].measured_s = 1e-3;
  all[9].measured_s = 1;
  return all;
}

TEST(Drift, IsSeenBeyondTheIntervalToEitherSide) {
  EXPECT_TRUE(judge_drift(products(1.2)).seen);
  EXPECT_TRUE(judge_drift(products(0.8)).seen);
  EXPECT_FALSE(judge_drift(products(1.09)).seen);
  EXPECT_FALSE(judge_drift(products(0.95)).seen);
  const Drift drift = judge_drift(products(1.2));
  EXPECT_EQ(drift.products, 10);
  EXPECT_NEAR(drift.ratio, 1.2, 1e-12);
  EXPECT_NEAR(drift.interval, 0.10517, 1e-5) << "e^0.1 - 1";
}

TEST(Drift, AWideIntervalSeesLess) {
  std::vector<ProbedProduct> unsure = products(1.2);
  for (ProbedProduct& product : unsure) product.half_width = 0.3;
  EXPECT_FALSE(judge_drift(unsure).seen);
}

TEST(Drift, IsNeverSeenInTwoProducts) {
  const std::vector<ProbedProduct> two(2, {1e-5, 1e-3, 0.1}), three(3, {1e-5, 1e-3, 0.1});
  EXPECT_FALSE(judge_drift(two).seen);
  EXPECT_TRUE(judge_drift(three).seen);
  EXPECT_FALSE(judge_drift({}).seen);
  EXPECT_EQ(judge_drift({}).ratio, 1);
}

TEST(Drift, IsRememberedForAnHourAndForThatProfile) {
  const test::TemporaryFolder home;
  setenv("SPARSECAST_HOME", home.path().c_str(), 1);
  Profile profile;
  profile.name = "host";
  profile.taken = "2026-01-31T12:00:00Z";
  const FitOptions one{Precision::double_, 1}, two{Precision::double_, 2};
  const double now = 2e9;
  EXPECT_FALSE(recent_drift(profile, one, now));
  keep_drift(profile, one, now, {7, 1.25, 0.1, true});
  const std::optional<Drift> kept = recent_drift(profile, one, now + 3599);
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->products, 7);
  EXPECT_EQ(kept->ratio, 1.25);
  EXPECT_EQ(kept->interval, 0.1);
  EXPECT_TRUE(kept->seen);
  EXPECT_FALSE(recent_drift(profile, one, now + 3601)) << "an hour later";
  EXPECT_FALSE(recent_drift(profile, one, now - 1)) << "a clock that was put back";
  EXPECT_FALSE(recent_drift(profile, two, now)) << "other threads";
  profile.taken = "2026-02-01T12:00:00Z";
  EXPECT_FALSE(recent_drift(profile, one, now)) << "calibrated since";
  profile.taken = "2026-01-31T12:00:00Z";
  for (const auto& file : std::filesystem::directory_iterator(home.path() / "probes"))
    std::ofstream(file.path()) << "{";
  EXPECT_FALSE(recent_drift(profile, one, now)) << "a damaged file";
  unsetenv("SPARSECAST_HOME");
}

TEST(Drift, AProfileOfThisHourNeedsNoProbe) {
  Profile profile;
  profile.taken = "2033-05-18T03:33:20Z";  // 2,000,000,000 s since 1970
  EXPECT_TRUE(just_taken(profile, 2e9 + 3600));
  EXPECT_FALSE(just_taken(profile, 2e9 + 3601));
  EXPECT_FALSE(just_taken(profile, 2e9 - 1));
  profile.taken = "some day";
  EXPECT_FALSE(just_taken(profile, 2e9));
}

}  // namespace
}  // namespace sparsecast::forecast

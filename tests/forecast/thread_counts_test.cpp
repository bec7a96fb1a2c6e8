// Forecasts for numbers of threads that were not measured, between those that were.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include <sparsecast/error.hpp>

#include "forecast/model_set.hpp"
#include "forecast/thread_counts.hpp"
#include "support/command.hpp"
#include "support/synthetic_profile.hpp"

namespace sparsecast {
namespace {

double alone(double strips, double length) { return 1e-6 + strips * 1024 * (2e-9 + 1e-9 * length); }

// A host on which 8 threads take a quarter of the time of one, on the same matrices.
Profile node() {
  Profile profile = test::empty_host_profile(8);
  test::add_grid(profile, "constant", "csr", 8, [](double strips, double length) { return alone(strips, length) / 4; });
  const std::vector<Record> records = profile.records;
  for (Record record : records) {
    record.threads = 1;
    record.seconds *= 4;
    profile.records.push_back(record);
  }
  return profile;
}

class ThreadCounts : public testing::Test {
 protected:
  void SetUp() override { setenv("SPARSECAST_HOME", home_.path().c_str(), 1); }
  void TearDown() override { unsetenv("SPARSECAST_HOME"); }
  static Forecast with(int threads) {
    const forecast::ModelSet models("sparsecast", node(), {Precision::double_, threads});
    return models.best(test::constant_structure(5000, 30), {"csr"}).at(0);
  }
  test::TemporaryFolder home_;
};

TEST_F(ThreadCounts, MeasuredOnesAreNotReckoned) {
  EXPECT_EQ(forecast::measured_counts(node(), {Precision::double_, 3}), (std::vector<int>{1, 8}));
  EXPECT_FALSE(forecast::counts_around(node(), {Precision::double_, 8}));
  const auto around = forecast::counts_around(node(), {Precision::double_, 3});
  ASSERT_TRUE(around);
  EXPECT_EQ(around->below, 1);
  EXPECT_EQ(around->above, 8);
}

TEST_F(ThreadCounts, ATimeBetweenIsAPowerOfTheCount) {
  const Forecast one = with(1), two = with(2), four = with(4), eight = with(8);
  ASSERT_GT(one.seconds, 2 * eight.seconds);
  // Three doublings.
  EXPECT_NEAR(two.seconds, one.seconds * std::pow(eight.seconds / one.seconds, 1.0 / 3), 1e-12);
  EXPECT_NEAR(four.seconds, one.seconds * std::pow(eight.seconds / one.seconds, 2.0 / 3), 1e-12);
}

TEST_F(ThreadCounts, TheIntervalIsWiderBetween) {
  const auto width = [](const Forecast& forecast) { return forecast.high_s / forecast.low_s; };
  EXPECT_GT(width(with(3)), std::max(width(with(1)), width(with(8))));
}

TEST_F(ThreadCounts, BeyondThoseMeasuredNothingIsSaid) { EXPECT_THROW(with(16), Error); }

TEST_F(ThreadCounts, ManyAreComparedInSteps) {
  EXPECT_EQ(forecast::counts_to_compare({1, 2}), (std::vector<int>{1, 2}));
  EXPECT_EQ(forecast::counts_to_compare({1, 6}), (std::vector<int>{1, 2, 3, 4, 5, 6}));
  const std::vector<int> many = forecast::counts_to_compare({1, 2, 4, 8, 16, 32, 64, 100});
  EXPECT_EQ(many.back(), 100);
  EXPECT_LT(many.size(), 24U);
}

}  // namespace
}  // namespace sparsecast

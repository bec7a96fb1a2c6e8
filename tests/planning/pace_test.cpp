// Whether a plan keeps its promise, with times that are handed in.

#include <gtest/gtest.h>

#include "planning/run/plan_runner.hpp"

namespace sparsecast::planning {
namespace {

Strategy of(double predicted_s) {
  Strategy strategy;
  strategy.predicted_s = predicted_s;
  return strategy;
}

TEST(Pace, SaysOnceThatASecondOfProductsWasOff) {
  Pace pace;
  pace.promise(of(0.1));
  for (int i = 0; i < 9; ++i) pace.took(0.116);
  const PlanHealth first = pace.health();
  EXPECT_TRUE(first.off);
  EXPECT_DOUBLE_EQ(first.promised_s, 0.1);
  EXPECT_NEAR(first.seconds, 0.116, 1e-12);
  EXPECT_NE(first.line.find("products take 116 ms and were forecast to take 100 ms"), std::string::npos) << first.line;
  const PlanHealth second = pace.health();
  EXPECT_TRUE(second.off);
  EXPECT_EQ(second.line, "");
  EXPECT_TRUE(pace.take_off());
  EXPECT_FALSE(pace.take_off());
}

TEST(Pace, LooksAtAWholeSecondAndAtSeveralProducts) {
  Pace pace;
  pace.promise(of(0.1));
  for (int i = 0; i < 7; ++i) pace.took(0.14);  // 0.98 s
  EXPECT_EQ(pace.health().seconds, 0);
  pace.took(0.14);
  EXPECT_NEAR(pace.health().seconds, 0.14, 1e-12);
  for (int i = 0; i < 7; ++i) pace.took(10);  // a second is over, eight products are not
  EXPECT_NEAR(pace.health().seconds, 0.14, 1e-12);
}

TEST(Pace, FasterThanPromisedIsOffToo) {
  Pace pace;
  pace.promise(of(0.2));
  for (int i = 0; i < 10; ++i) pace.took(0.17);
  EXPECT_TRUE(pace.health().off);
}

TEST(Pace, WithinFifteenPercentNothingIsSaid) {
  Pace pace;
  pace.promise(of(0.1));
  for (int i = 0; i < 10; ++i) pace.took(0.114);
  EXPECT_FALSE(pace.health().off);
  EXPECT_EQ(pace.health().line, "");
  EXPECT_FALSE(pace.take_off());
}

TEST(Pace, WhereNothingWasPromisedNothingIsLookedAt) {
  Pace pace;
  EXPECT_FALSE(pace.due(1, false));
  pace.promise(of(1e-3));
  EXPECT_TRUE(pace.due(1, false));
  EXPECT_FALSE(pace.due(8, false)) << "of another kind";
  EXPECT_FALSE(pace.due(1, true));
}

// Of products that are about as short as reading the clock, one in many.
TEST(Pace, LooksAtFewShortProducts) {
  Pace pace;
  pace.promise(of(1e-6));
  int looks = 0;
  for (int i = 0; i < 1280; ++i) looks += pace.due(1, false) ? 1 : 0;
  EXPECT_EQ(looks, 10);
}

}  // namespace
}  // namespace sparsecast::planning

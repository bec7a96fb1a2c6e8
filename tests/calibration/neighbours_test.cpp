// Neighbours: a family's forecasts are moved as its members erred, a stranger's stay; the nearer and the younger count
// for more, and errors that scatter for less.

#include "calibration/neighbours.hpp"
#include "calibration/observations.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <ctime>

namespace sparsecast::calibration {
namespace {
std::string days_before_today(int days) {
  const std::time_t then = std::time(nullptr) - days * 86400 - 60;
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", gmtime(&then));
  return text;
}

// Of one feature; it took `factor` times what was forecast.
Observation member(const std::string& name, double feature, double factor, int days = 0) {
  return {.matrix = name,
          .pattern = name,
          .features = {feature},
          .kernel = "csr",
          .seconds = factor * 1e-3,
          .forecast_s = 1e-3,
          .taken = days_before_today(days)};
}

double moved(const std::vector<Observation>& seen, double feature = 0) {
  const auto error = Neighbours({feature}, seen).error_of("csr", 0.2);
  return error ? std::exp(error->mean) : 0;
}
}  // namespace

TEST(Neighbours, AFamilyMovesAForecastAndAStrangerDoesNot) {
  const std::vector<Observation> family{member("a", 0.02, 1.3), member("b", -0.03, 1.3), member("c", 0.05, 1.3)};
  EXPECT_NEAR(moved(family), 1.3, 0.01);
  EXPECT_LT(moved(family), 1.3);
  EXPECT_EQ(moved(family, 1), 0) << "too far";
  EXPECT_FALSE(Neighbours({0.0}, family).error_of("coo", 0.2)) << "nothing is known of another kernel";
  EXPECT_TRUE(Neighbours({0.0, 0.0}, family).empty()) << "features that are counted otherwise are not compared";
  EXPECT_TRUE(Neighbours().empty());
}

TEST(Neighbours, ManyMoveMoreThanOneAndNarrowTheInterval) {
  std::vector<Observation> seen{member("0", 0, 1.2)};
  const Neighbours one({0.3}, seen);
  for (int k = 1; k < 20; ++k) seen.push_back(member(std::to_string(k), 0, 1.2));
  const Neighbours many({0.3}, seen);
  const ForecastError of_one = *one.error_of("csr", 0.05), of_many = *many.error_of("csr", 0.05);
  EXPECT_LT(of_one.mean, of_many.mean);
  EXPECT_LT(of_many.mean, std::log(1.2));
  EXPECT_LT(of_many.deviation, of_one.deviation);
  EXPECT_LT(of_one.deviation, 0.05);
}

TEST(Neighbours, TheNearerOneCountsMore) {
  const std::vector<Observation> seen{member("near", 0, 1.2), member("far", 0.25, 0.8)};
  EXPECT_GT(moved(seen, 0), 1);
  EXPECT_LT(moved(seen, 0.25), 1);
  EXPECT_NEAR(moved(seen, 0.125), 1, 0.05);
}

TEST(Neighbours, OldOnesFadeAndAClockThatJumpedBackChangesNothing) {
  const auto seen = [](int days) { return std::vector{member("new", 0, 0.8), member("old", 0, 1.2, days)}; };
  EXPECT_LT(moved(seen(45)), moved(seen(0)));
  EXPECT_LT(moved(seen(90)), moved(seen(45)));
  EXPECT_DOUBLE_EQ(moved(seen(400)), moved({member("new", 0, 0.8)})) << "as if it had never been";
  EXPECT_NEAR(moved(seen(-45)), moved(seen(45)), 1e-4);
}

TEST(Neighbours, ErrorsThatScatterLeaveTheForecastNearlyAsItIs) {
  const std::vector<Observation> agree{member("a", 0, 1.2), member("b", 0, 1.2)};
  const std::vector<Observation> scatter{member("a", 0, 2.0), member("b", 0, 0.72)};
  EXPECT_GT(moved(agree) - 1, 2 * (moved(scatter) - 1));
  EXPECT_GT(Neighbours({0.0}, scatter).error_of("csr", 0.2)->deviation, 0.2) << "it is no surer than it was";
}

TEST(Neighbours, AreToldTheNearestFirstWithTheirAges) {
  EXPECT_EQ(Neighbours().text(), "");
  EXPECT_EQ(Neighbours({0.0}, {member("a", 0, 1)}).text(), "1 similar pattern (a), measured here today");
  std::vector<Observation> seen{member("d", 0.2, 1), member("a", 0, 1), member("b", 0.1, 1, 1), member("c", 0.1, 1, 9)};
  seen.push_back(seen[1]);
  seen.back().kernel = "coo";
  EXPECT_EQ(Neighbours({0.0}, seen).text(), "4 similar patterns (a, b, c, …), measured here today to 9 days ago");
}
}  // namespace sparsecast::calibration

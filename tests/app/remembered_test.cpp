// What the store remembers of calibrations and of the user's own matrices, and what comes of it.

#include <gtest/gtest.h>

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <fstream>
#include <set>
#include <sstream>

#include "app/pipeline.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {
TEST_F(Pipeline, ACalibrationLeavesTheFitForTheFirstForecast) {
  EXPECT_FALSE(std::filesystem::is_empty(folder->path() / "home" / "fits"));
}

TEST_F(Pipeline, SecondCalibrationMeasuresNothingAgain) {
  const json again = document({"calibrate", "--quick", "--json"});
  EXPECT_EQ(again["measured"], 0);
  EXPECT_EQ(again["present"], json::parse(calibration)["measured"]);
}

TEST_F(Pipeline, WhatWasTriedOnAMatrixAnswersForItsPattern) {
  const std::string file = (folder->path() / "tried.mtx").string();
  ASSERT_EQ(sparsecast({"generate", "powerlaw", "--rows", "5000", "--row-mean", "8", "-o", file}).exit_code, 0);
  const std::vector<std::string> ask{"optimize", file, "--trials", "3", "--threads", "1", "--json"};
  const json first = document(ask)["trials"];
  ASSERT_EQ(first["tried"].size(), 3U);
  EXPECT_GT(first["spent_s"], 0);
  if (first["left_to_win"] > 0.5) GTEST_SKIP() << "something disturbed those that were tried: that is no end";
  const json again = document(ask);
  EXPECT_TRUE(again["trials"]["tried"].empty());
  EXPECT_LE(again["singles"].size(), 4U) << "those that were tried, and csr: no model was asked for others";
  const std::string chosen = again["strategy"][0]["kernel"];
  std::vector<std::string> observed;
  const json remembered = document({"predict", file, "--threads", "1", "--json"});
  for (const json& forecast : remembered["forecasts"])
    if (forecast["tier"] == "observed") observed.push_back(forecast["kernel"]);
  ASSERT_EQ(observed.size(), 3U);
  EXPECT_EQ(observed.front(), chosen);
  const json afresh = document({"predict", file, "--threads", "1", "--no-store", "--json"});
  for (const json& forecast : afresh["forecasts"]) EXPECT_EQ(forecast["tier"], "measured");
  std::vector<std::string> without = ask;
  without.emplace_back("--no-store");
  EXPECT_EQ(document(without)["trials"]["tried"].size(), 3U);

  const std::string kept = (folder->path() / "observations.json").string();
  const json all = document({"profiles", "observations", "--export", kept, "--forget", "--json"})["observations"];
  EXPECT_GE(all.size(), 3U);
  EXPECT_TRUE(document({"profiles", "observations", "--json"})["observations"].empty());
  ASSERT_EQ(sparsecast({"profiles", "observations", "--import", kept}).exit_code, 0);
  EXPECT_EQ(document({"profiles", "observations", "--json"})["observations"], all);
  EXPECT_EQ(sparsecast({"optimize", file, "--trials", "few"}).exit_code, 2);
}

TEST_F(Pipeline, AlikeMatricesThatWereMeasuredMoveForecastsAndAreTold) {
  const auto file = [](int seed) { return (folder->path() / fmt::format("alike{}.mtx", seed)).string(); };
  for (const int seed : {1, 2, 3})
    ASSERT_EQ(sparsecast({"generate", "geometric", "--rows", std::to_string(4000 + 100 * seed), "--seed",
                          std::to_string(seed), "-o", file(seed)})
                  .exit_code,
              0);
  const std::vector<std::string> ask{"predict", file(3), "--threads", "1", "--json"};
  std::vector<std::string> without = ask;
  without.emplace_back("--no-store");
  const json before = document(ask);
  EXPECT_FALSE(before.contains("neighbours"));
  for (const int seed : {1, 2})
    ASSERT_EQ(sparsecast({"measure", file(seed), "--threads", "1", "--kernels", "csr,coo"}).exit_code, 0);
  const json after = document(ask);
  EXPECT_NE(after["neighbours"].get<std::string>().find("2 similar patterns ("), std::string::npos)
      << after["neighbours"];
  for (const json& forecast : after["forecasts"]) {
    const bool measured = forecast["kernel"] == "csr" || forecast["kernel"] == "coo";
    EXPECT_EQ(forecast.contains("moved"), measured) << forecast["kernel"];
    EXPECT_EQ(forecast["tier"], "measured");
  }
  const json afresh = document(without);
  EXPECT_FALSE(afresh.contains("neighbours"));
  expect_same_forecasts(afresh["forecasts"], before["forecasts"]);
  const std::string told = sparsecast({"predict", file(3), "--threads", "1"}).out;
  EXPECT_NE(told.find("corrected by 2 similar patterns (alike"), std::string::npos) << told;
  EXPECT_NE(told.find("measured here today"), std::string::npos) << told;
  EXPECT_NE(told.find(" corrected by "), std::string::npos) << told;
}

TEST_F(Pipeline, AUsersMatricesTakePartInACalibration) {
  const std::filesystem::path own = folder->path() / "own";
  std::filesystem::create_directories(own);
  ASSERT_EQ(
      sparsecast({"generate", "geometric", "--rows", "3000", "--seed", "2", "-o", (own / "g.mtx").string()}).exit_code,
      0);
  const json done = document({"calibrate", "--quick", "--threads", "1", "--matrices", own.string(), "--json"});
  EXPECT_EQ(done["matrices"], 1);
  const json seen = document({"predict", (own / "g.mtx").string(), "--threads", "1", "--json"});
  EXPECT_TRUE(std::ranges::any_of(seen["forecasts"], [](const json& one) { return one["tier"] == "observed"; }))
      << seen;
}

}  // namespace
}  // namespace sparsecast::test

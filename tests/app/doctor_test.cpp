// sparsecast doctor on a machine that nobody measured (pipeline_test.cpp: on one that was).

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

TEST(Doctor, SaysWhatACalibrationWouldBring) {
  const TemporaryFolder home;
  const CommandResult told = sparsecast({"doctor", "--json"}, {"SPARSECAST_HOME=" + home.path().string()});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_TRUE(fits_its_schema(told.out));
  const json d = json::parse(told.out);
  EXPECT_TRUE(d["ready"]) << "what ships answers";
  EXPECT_NE(d["why"].get<std::string>().find('%'), std::string::npos) << d["why"];
  EXPECT_TRUE(d["calibrated"].empty());
  EXPECT_EQ(d["next"], "sparsecast calibrate --quick");
  EXPECT_GT(d["spread"], 0) << "a product was timed";
  EXPECT_EQ(d["devices"][0], "host");
  EXPECT_TRUE(std::ranges::any_of(d["parts"], [](const json& part) { return part == "metis"; })) << d["parts"];
  EXPECT_EQ(d["home"], home.path().string());
}

TEST(Doctor, FitsTenLines) {
  const TemporaryFolder home;
  const CommandResult told =
      sparsecast({"doctor"}, {"SPARSECAST_HOME=" + home.path().string(), "COLUMNS=200", "PATH=/nowhere"});
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(std::ranges::count(told.out, '\n'), 10) << told.out;
  EXPECT_TRUE(told.out.starts_with("ready: forecasts of this host are based on shipped models and a probe\n"))
      << told.out;
  EXPECT_NE(told.out.find("octave (traffic)"), std::string::npos) << told.out;
}

}  // namespace
}  // namespace sparsecast::test

// sparsecast doctor on a machine that nobody measured (pipeline_test.cpp: on one that was).

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "calibration/store.hpp"
#include "support/command.hpp"
#include "support/schema.hpp"
#include "support/synthetic_profile.hpp"

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

// One device's description cannot be read: that is what a doctor is for, and the other's is listed all the same.
TEST(Doctor, ADamagedCalibrationIsADiagnosis) {
  const TemporaryFolder home;
  const std::filesystem::path file = home.path() / "store.sqlite";
  {
    calibration::Store store(file);
    Profile profile = empty_host_profile(2);
    profile.properties.name = "host";
    profile.properties.model = "A Processor";
    store.begin_profile(profile.properties, "test");
    profile = empty_gpu_profile();
    profile.properties.name = "cuda:0";
    store.begin_profile(profile.properties, "test");
  }
  std::string bytes = read_text(file);
  const std::size_t at = bytes.find("A Processor");
  ASSERT_NE(at, std::string::npos);
  bytes[at] = 'B';
  std::ofstream(file, std::ios::binary) << bytes;
  const std::vector<std::string> there{"SPARSECAST_HOME=" + home.path().string()};
  const CommandResult told = sparsecast({"doctor", "--json"}, there);
  ASSERT_EQ(told.exit_code, 0) << told.err;
  const json d = json::parse(told.out);
  EXPECT_FALSE(d["ready"]);
  EXPECT_EQ(d["damaged_rows"], 1);
  EXPECT_EQ(d["next"], "sparsecast calibrate");
  const CommandResult listed = sparsecast({"profiles", "list", "--json"}, there);
  EXPECT_EQ(listed.exit_code, 0) << listed.err;
  ASSERT_EQ(json::parse(listed.out)["profiles"].size(), 1U);
  EXPECT_EQ(json::parse(listed.out)["profiles"][0]["name"], "cuda:0");
  EXPECT_NE(listed.err.find("the data of device host are damaged"), std::string::npos) << listed.err;
}

}  // namespace
}  // namespace sparsecast::test

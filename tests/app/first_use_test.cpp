// Every command that forecasts, in a home where nothing was measured: an answer at once, of the tier "shipped".

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {
using nlohmann::json;

class FirstUse : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", "60", "-o", matrix_}, {home("made")}).exit_code, 0);
  }
  [[nodiscard]] std::string home(const std::string& name) const {
    return "SPARSECAST_HOME=" + (folder_.path() / name).string();
  }
  // Two kernels are as good as all where they are measured: it is the home that matters.
  [[nodiscard]] std::vector<std::vector<std::string>> commands() const {
    return {{"predict", matrix_, "--json"},
            {"plan", matrix_, "--json"},
            {"measure", matrix_, "--kernels", "csr,sell", "--json"},
            {"evaluate", matrix_, "--kernels", "csr,sell", "--json"},
            {"solve", matrix_, "--json"}};
  }
  static std::set<std::string> tiers(const CommandResult& result) {
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(fits_its_schema(result.out));
    std::set<std::string> tiers;
    const json document = json::parse(result.out);
    for (const json& forecast : document["forecasts"]) tiers.insert(forecast["tier"]);
    return tiers;
  }
  TemporaryFolder folder_;
  std::string matrix_ = (folder_.path() / "p60.mtx").string();
};

TEST_F(FirstUse, EveryCommandAnswersAndAsksForNothing) {
  int number = 0;
  for (const std::vector<std::string>& command : commands()) {
    const CommandResult done = sparsecast(command, {home("new" + std::to_string(number++))});
    EXPECT_EQ(done.exit_code, 0) << command[0] << ": " << done.err;
    EXPECT_EQ(done.err.find("calibrat"), std::string::npos) << command[0] << ": " << done.err;
  }
}

TEST_F(FirstUse, ForecastsAreShippedOfAnyPrecisionAndNumberOfThreads) {
  const std::set<std::string> shipped{"shipped"};
  EXPECT_EQ(tiers(sparsecast({"predict", matrix_, "--json"}, {home("new")})), shipped);
  EXPECT_EQ(tiers(sparsecast({"predict", matrix_, "--threads", "1", "--json"}, {home("new")})), shipped);
  EXPECT_EQ(tiers(sparsecast({"predict", matrix_, "--precision", "single", "--json"}, {home("new")})), shipped);
  EXPECT_EQ(tiers(sparsecast({"predict", matrix_, "--vectors", "4", "--json"}, {home("new")})), shipped);
  const CommandResult guo = sparsecast({"predict", matrix_, "--model", "guo"}, {home("new")});
  EXPECT_EQ(guo.exit_code, 1) << "nothing ships for a paper's model";
  EXPECT_NE(guo.err.find("calibrate"), std::string::npos) << guo.err;
}

TEST_F(FirstUse, WhatIsTriedIsObservedBesideWhatShips) {
  ASSERT_EQ(sparsecast({"plan", matrix_, "--threads", "1", "--trials", "3"}, {home("new")}).exit_code, 0);
  const std::set<std::string> after =
      tiers(sparsecast({"predict", matrix_, "--threads", "1", "--json"}, {home("new")}));
  EXPECT_TRUE(after.contains("observed") && after.contains("shipped")) << testing::PrintToString(after);
}

TEST_F(FirstUse, ACalibrationTakesThePlaceOfWhatShipsThreadsByThreads) {
  const auto predict = [&](const char* threads) {
    return sparsecast({"predict", matrix_, "--threads", threads, "--json"}, {home("new")});
  };
  EXPECT_EQ(tiers(predict("1")), std::set<std::string>{"shipped"});
  ASSERT_EQ(sparsecast({"calibrate", "--quick", "--threads", "1"}, {home("new")}).exit_code, 0);
  EXPECT_EQ(tiers(predict("1")), std::set<std::string>{"measured"});
  if (sysconf(_SC_NPROCESSORS_ONLN) == 2) {
    EXPECT_EQ(tiers(predict("2")), std::set<std::string>{"shipped"});
  }
}

// A home below a file cannot be made by anybody, the superuser included.
TEST_F(FirstUse, NothingNeedsToBeWritten) {
  const std::string nowhere = "SPARSECAST_HOME=" + matrix_ + "/home";
  for (const std::vector<std::string>& command : commands()) {
    const CommandResult done = sparsecast(command, {nowhere});
    EXPECT_EQ(done.exit_code, 0) << command[0] << ": " << done.err;
  }
}

// /dev/full is where every write finds the disk full: here the folder of probes leads there.
TEST_F(FirstUse, AFullDiskKeepsNothingAndCostsNothing) {
  const auto full = folder_.path() / "full";
  std::filesystem::create_directories(full);
  for (const char* name : {"probes", "store.sqlite", "observations.sqlite"})
    std::filesystem::create_symlink("/dev/full", full / name);
  EXPECT_EQ(tiers(sparsecast({"predict", matrix_, "--json"}, {home("full")})), std::set<std::string>{"shipped"});
}

TEST_F(FirstUse, AnotherModelOfHostsMayBeNamed) {
  const CommandResult none = sparsecast({"predict", matrix_}, {home("new"), "SPARSECAST_HOST_MODEL=/no/such.json"});
  EXPECT_NE(none.exit_code, 0);
  EXPECT_NE(none.err.find("/no/such.json"), std::string::npos) << none.err;
  const auto wrong = folder_.write("wrong.json", R"({"schema": "sparsecast/host-model/1", "processors": []})");
  EXPECT_EQ(sparsecast({"predict", matrix_}, {home("new"), "SPARSECAST_HOST_MODEL=" + wrong.string()}).exit_code, 3);
}
}  // namespace
}  // namespace sparsecast::test

// Every command that forecasts, in a home where nothing was measured: an answer at once, of the tier "shipped".

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
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

TEST_F(FirstUse, WhatIsNotRememberedSaysWhereAndWhatToDo) {
  const CommandResult done = sparsecast({"predict", matrix_}, {"SPARSECAST_HOME=" + matrix_ + "/home"});
  EXPECT_NE(done.err.find(matrix_ + "/home: cannot create the folder: Not a directory; set SPARSECAST_HOME"),
            std::string::npos)
      << done.err;
}

TEST_F(FirstUse, ATildeIsTheUsersHome) {
  const std::string users = (folder_.path() / "user").string();
  const CommandResult told =
      sparsecast({"doctor", "--json"}, {"HOME=" + users, "SPARSECAST_HOME=~/measured", "XDG_DATA_HOME="});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(json::parse(told.out)["home"], users + "/measured");
  EXPECT_FALSE(std::filesystem::exists("~"));
}

// The XDG specification: "If an implementation encounters a relative path ... it should consider the path invalid".
TEST_F(FirstUse, ARelativeDataFolderIsIgnored) {
  const std::string users = (folder_.path() / "user").string();
  const CommandResult told =
      sparsecast({"doctor", "--json"}, {"HOME=" + users, "SPARSECAST_HOME=", "XDG_DATA_HOME=data"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_EQ(json::parse(told.out)["home"], users + "/.local/share/sparsecast");
}

// What a kernel's choice costs is told of each matrix: two of one name were taken for one.
TEST_F(FirstUse, MatricesOfOneNameAreJudgedApart) {
  for (const char* name : {"a", "b"}) {
    std::filesystem::create_directories(folder_.path() / name);
    ASSERT_EQ(sparsecast({"generate", "poisson2d", "--size", *name == 'a' ? "20" : "60", "-o",
                          (folder_.path() / name / "x.mtx").string()},
                         {home("made")})
                  .exit_code,
              0);
  }
  const std::string a = (folder_.path() / "a/x.mtx").string(), b = (folder_.path() / "b/x.mtx").string();
  const CommandResult done = sparsecast({"evaluate", a, b, a, "--kernels", "csr,sell", "--json"}, {home("new")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json judged = json::parse(done.out);
  std::set<std::string> names;
  for (const json& one : judged["cases"]) names.insert(one["matrix"]);
  EXPECT_EQ(names, (std::set<std::string>{"a/x", "b/x", "a/x (2)"}));
  for (const json& one : judged["selection"]) EXPECT_EQ(one["cases"], 3);
}

TEST_F(FirstUse, NothingIsComputedOfAMatrixWithoutRows) {
  const auto empty = folder_.write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n0 0 0\n");
  const CommandResult done = sparsecast({"predict", empty.string(), "--json"}, {home("new")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const json forecasts = json::parse(done.out)["forecasts"];
  ASSERT_FALSE(forecasts.empty());
  for (const json& one : forecasts) EXPECT_EQ(one["gflops"], 0) << one["kernel"];
}

TEST_F(FirstUse, AKernelThatIsNamedTwiceIsMeasuredOnce) {
  const CommandResult done = sparsecast({"measure", matrix_, "--kernels", "csr,csr", "--json"}, {home("new")});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(json::parse(done.out)["measurements"].size(), 1U);
}

// A name of a file is text: no terminal is told to hide what follows, and a line stays one.
TEST_F(FirstUse, ANameIsNoCommandToTheTerminal) {
  const std::string hostile = (folder_.path() / "\x1b[8mhidden\nname.mtx").string();
  std::filesystem::copy_file(matrix_, hostile);
  const std::string said = sparsecast({"predict", hostile}, {home("new")}).out;
  EXPECT_NE(said.find("\\x1b[8mhidden\\nname: 3,600 × 3,600"), std::string::npos) << said;
  EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
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

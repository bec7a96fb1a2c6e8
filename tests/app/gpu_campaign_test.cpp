// scripts/gpu-campaign with a command that answers in place of ours: what each stage leaves, and how it goes on.

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "support/command.hpp"

namespace sparsecast::test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

// Notes what it was asked; of two kernels, one takes half as long as was forecast. WRONG: a kernel, or a command that
// fails.
constexpr const char* stand_in = R"(#!/usr/bin/env python3
import json, os, sys
words = sys.argv[1:]
with open(os.environ["ASKED"], "a") as asked:
    print(words[0], file=asked)
after = lambda key: words[words.index(key) + 1]
wrong = os.environ.get("WRONG", "")
if words[0] == wrong:
    sys.exit("it failed")
matrix = {"name": "m", "rows": 10, "cols": 10, "nonzeros": 200000}
of = lambda name, seconds: {"kernel": name, "seconds": seconds, "preprocess_s": 1e-3, "status": "ok"}
told = lambda name: {"kernel": name, "seconds": 2e-5, "low_s": 1.5e-5, "high_s": 3e-5, "preprocess_s": 1e-3}
if words[0] == "devices":
    print(json.dumps({"model": "NVIDIA H100 80GB HBM3", "driver": "none", "checks": [
        {"kernel": k, "precision": "double", "offset_bits": 32, "matrix": "tall", "agrees": k != wrong} for k in ("csr-vector", "sell")]}))
elif words[0] == "profiles":
    open(after("-o"), "w").write(json.dumps({"records": [{"clock_hz": 1.5e9}, {"clock_hz": None}]}))
elif words[0] == "generate":
    open(after("-o"), "w").write("")
elif words[0] == "measure":
    print(json.dumps({"matrix": matrix, "measurements": [of("csr-vector", 2e-5), of("sell", 1e-5), of("vendor-csr", 3e-5)]}))
elif words[0] == "predict":
    print(json.dumps({"forecasts": [told("csr-vector"), told("sell"), told("cusparse-csr")]}))
elif words[0] == "solve":
    print(json.dumps({"iteration_s": 1e-4, "measured_iteration_s": 2e-4}))
)";
const std::vector<std::string> stages{"check", "calibrate", "products", "forecasts", "conversions",
                                      "micro", "solve",     "arrays",   "speed",     "powers"};

class GpuCampaign : public testing::Test {
 protected:
  GpuCampaign() {
    (void)folder_.write("stand-in", stand_in);
    fs::permissions(folder_.path() / "stand-in", fs::perms::owner_all);
  }
  CommandResult run(const std::string& minutes, const std::string& wrong = "") {
    const std::string here = folder_.path().string();
    return run_program("env", {"ASKED=" + here + "/asked", "WRONG=" + wrong, "PATH=/usr/bin:/bin", "CUDA_HOME=/nowhere",
                               "python3", SPARSECAST_SOURCE_DIR "/scripts/gpu-campaign", "--rehearse", "--minutes",
                               minutes, "--output", here + "/out", "--command", here + "/stand-in"});
  }
  [[nodiscard]] json stage(const std::string& name) const {
    std::ifstream file(folder_.path() / "out" / (name + ".json"));
    return json::parse(file);
  }
  [[nodiscard]] std::uintmax_t asked() const { return fs::file_size(folder_.path() / "asked"); }

  TemporaryFolder folder_;
};

TEST_F(GpuCampaign, LeavesAFileForEachStageAndDoesNoneTwice) {
  const CommandResult first = run("5");
  ASSERT_EQ(first.exit_code, 0) << first.err;
  for (const std::string& name : stages) EXPECT_EQ(stage(name)["stage"], name);
  EXPECT_TRUE(stage("check")["wrong"].empty());
  EXPECT_EQ(stage("calibrate")["clock_hz"]["median"], 1.5e9);
  EXPECT_NEAR(stage("products")["vendor_over_ours"].get<double>(), 3, 1e-12);
  EXPECT_EQ(stage("products")["matrices"][0]["best"], "sell");
  // The calibration took both kernels for equally fast, and the first of equals is not the fastest.
  EXPECT_NEAR(stage("forecasts")["regret"]["calibration"].get<double>(), 1, 1e-12);
  EXPECT_NEAR(stage("solve")["summary"][0]["mean_error"].get<double>(), 0.5, 1e-12);
  EXPECT_NE(stage("arrays")["remark"].get<std::string>().find("without the wheel"), std::string::npos);
  EXPECT_NEAR(stage("speed")["cases"][0]["vendor_over_ours"].get<double>(), 3, 1e-12);
  EXPECT_TRUE(stage("speed")["wrong"].empty());
  const std::uintmax_t before = asked();
  EXPECT_EQ(run("5").exit_code, 0);
  EXPECT_EQ(asked(), before);
}

TEST_F(GpuCampaign, NamesTheKernelThatIsWrong) {
  EXPECT_EQ(run("5", "sell").exit_code, 0);
  EXPECT_EQ(stage("check")["wrong"], json::array({"sell double 32: tall"}));
}

TEST_F(GpuCampaign, AStageThatFailsLeavesTheOthersAndIsDoneLater) {
  const CommandResult failed = run("5", "calibrate");
  EXPECT_EQ(failed.exit_code, 1);
  EXPECT_NE(failed.err.find("it failed"), std::string::npos) << failed.err;
  EXPECT_NE(failed.err.find("not done: calibrate"), std::string::npos) << failed.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "out/calibrate.json"));
  EXPECT_EQ(stage("solve")["stage"], "solve");
  EXPECT_EQ(run("5").exit_code, 0);
  EXPECT_TRUE(stage("calibrate")["done"].get<bool>());
}

TEST_F(GpuCampaign, GoesOnWhereItRanOutOfTime) {
  const CommandResult late = run("0");
  EXPECT_EQ(late.exit_code, 1);
  EXPECT_NE(late.err.find("not done: check, calibrate"), std::string::npos) << late.err;
  EXPECT_FALSE(fs::exists(folder_.path() / "out/check.json"));
  EXPECT_EQ(run("5").exit_code, 0);
  EXPECT_TRUE(stage("check")["done"].get<bool>());
}

TEST_F(GpuCampaign, SaysWhatItNeeds) {
  const std::string script = SPARSECAST_SOURCE_DIR "/scripts/gpu-campaign";
  EXPECT_EQ(run_program("python3", {script, "--command", "/nowhere/sparsecast"}).exit_code, 4);
  const CommandResult folder =
      run_program("python3", {script, "--command", SPARSECAST_COMMAND, "--matrices", "/nowhere"});
  EXPECT_EQ(folder.exit_code, 2);
  EXPECT_EQ(folder.err, "gpu-campaign: /nowhere is no folder\n");
}

}  // namespace
}  // namespace sparsecast::test

// Profiles from elsewhere, as a user types it: a table of times becomes a profile, forecasts are made from features
// alone, and the table's own times are judged.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::test {
namespace {

using nlohmann::json;

const std::string head = "matrix\ttwin_of\trows\tcols\tnonzeros\trow_std\tkernel\trepeat\tseconds\n";

// Two kernels, twelve families of three matrices: times of 10 µs and so many ps per non-zero.
std::string made_table() {
  std::string table = head;
  for (int f = 0; f < 12; ++f) {
    for (int v = 0; v < 3; ++v) {
      const int rows = 2000 * (f + 1) + 100 * v, nonzeros = rows * (4 + f % 5);
      for (const auto& [kernel, cost] : {std::pair("fast-csr", 20e-12), std::pair("slow-coo", 60e-12)})
        table += fmt::format("b{}-{}\tr{}\t{}\t{}\t{}\t1\t{}\t1\t{}\n", f, v, f, rows, rows, nonzeros, kernel,
                             1e-5 + cost * nonzeros);
    }
  }
  return table;
}

class Records : public ::testing::Test {
 protected:
  Records() : home_("SPARSECAST_HOME=" + (folder_.path() / "home").string()) {
    table_ = folder_.write("benchmark.tsv", made_table()).string();
    real_ = folder_
                .write("real.tsv", head +
                                       "r3\tr3\t8050\t8050\t56350\t1\tfast-csr\t1\t1.1e-5\n"
                                       "r3\tr3\t8050\t8050\t56350\t1\tfast-csr\t2\t1.2e-5\n"
                                       "new\tnew\t9000\t9000\t54000\t1\tfast-csr\t1\t1.1e-5\n"
                                       "new\tnew\t9000\t9000\t54000\t1\tslow-coo\t1\t1.3e-5\n")
                .string();
    profile_ = (folder_.path() / "made.profile.json").string();
  }
  CommandResult run(const std::vector<std::string>& arguments) { return sparsecast(arguments, {home_}); }
  json document(const std::vector<std::string>& arguments) {
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_TRUE(fits_its_schema(result.out));
    return json::parse(result.out, nullptr, false);
  }
  TemporaryFolder folder_;
  std::string home_, table_, real_, profile_;
};

TEST_F(Records, AreImportedForecastAndJudged) {
  ASSERT_EQ(run({"profiles", "import", table_, "--name", "made", "-o", profile_, "--quiet"}).exit_code, 0);
  const json forecasts = document({"predict", "--profile", profile_, "--records", real_, "--json"});
  ASSERT_EQ(forecasts["predictions"].size(), 2U) << "two matrices, whatever the repeats";
  const json& first = forecasts["predictions"][0];
  EXPECT_EQ(first["recommended"]["kernel"], "fast-csr");
  EXPECT_NEAR(first["forecasts"][0]["seconds"].get<double>() / (1e-5 + 20e-12 * 56350), 1, 0.05);

  const json judged =
      document({"evaluate", "--profile", profile_, "--records", real_, "--leave-out", "twin_of", "--json"});
  ASSERT_EQ(judged["cases"].size(), 3U);
  EXPECT_DOUBLE_EQ(judged["cases"][0]["measured_s"].get<double>(), 1.15e-5) << "the median of the repeats";
  EXPECT_EQ(judged["selection"][0]["cases"], 2);
}

// What the product prints of a device is what it takes.
TEST_F(Records, ImportTakesADescribedDevice) {
  const std::string described = run({"devices", "--describe", "nvidia-a100", "--json"}).out;
  const json properties = json::parse(described)["properties"];
  for (const std::string& text : {described, properties.dump()}) {
    const std::string file = folder_.write("device.json", text).string();
    const CommandResult result =
        run({"profiles", "import", table_, "--name", "made", "--properties", file, "-o", profile_, "--quiet"});
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(json::parse(read_text(profile_))["properties"]["model"], properties["model"]);
    EXPECT_EQ(json::parse(read_text(profile_))["properties"]["compute_units"], 108) << "of an A100";
  }
  const std::string not_json = folder_.write("device.txt", run({"devices", "--describe", "nvidia-a100"}).out).string();
  const CommandResult refused =
      run({"profiles", "import", table_, "--name", "made", "--properties", not_json, "-o", profile_});
  EXPECT_EQ(refused.exit_code, 3);
  EXPECT_NE(refused.err.find("--describe NAME --json"), std::string::npos) << refused.err;
}

TEST_F(Records, ABadRowIsRefusedWithItsLine) {
  const std::string bad = folder_.write("bad.tsv", made_table() + "x\t\tten\t10\t20\t1\tcsr\t1\t1e-5\n").string();
  const CommandResult result = run({"profiles", "import", bad, "--name", "made", "-o", profile_});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find(bad + ":74:3:"), std::string::npos) << result.err;
  EXPECT_FALSE(std::filesystem::exists(profile_));
}

TEST_F(Records, WhatDoesNotGoTogetherIsAUsageError) {
  EXPECT_EQ(run({"evaluate"}).exit_code, 2);
  EXPECT_EQ(run({"predict"}).exit_code, 2);
  ASSERT_EQ(run({"profiles", "import", table_, "--name", "made", "-o", profile_}).exit_code, 0);
  EXPECT_EQ(run({"evaluate", "--profile", profile_, "--records", real_, "--leave-out", "colour"}).exit_code, 2);
  EXPECT_EQ(run({"evaluate", "some.mtx", "--leave-out", "twin_of"}).exit_code, 2);
}

}  // namespace
}  // namespace sparsecast::test

// Levels and seconds of a region on a machine.

#include "traffic/machine.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "octave.hpp"
#include "support/schema.hpp"

namespace sparsecast::traffic {
namespace {

// 32 KB at 100 GB/s, 1 MB at 50 GB/s, memory at 10 GB/s.
Profile machine() {
  Profile profile;
  profile.name = "plain";
  profile.properties.name = "host";
  profile.properties.model = "plain";
  profile.properties.caches = {{1, 32768, 64, 1}, {2, 1 << 20, 64, 1}};
  profile.curves.push_back(
      {"read_bandwidth", 1, {16384, 32768, 65536, 1 << 20, 1 << 22, 1 << 26}, {100e9, 100e9, 50e9, 50e9, 10e9, 10e9}});
  return profile;
}

TEST(Machine, EachLevelGetsWhatTheOnesBeforeItDoNotHold) {
  ProgramTraffic traffic;
  RegionTraffic region;
  region.load_bytes = 4000;
  region.load_reach.assign(200, 0.0);
  region.store_reach.assign(200, 0.0);
  region.load_reach[4 * 10] = 1;  // a distance of some kilobytes: held by the first level
  region.load_reach[4 * 17] = 1;  // 128 KB: by the second
  region.load_reach[4 * 25] = 1;  // 32 MB: by none
  region.load_reach[199] = 1;     // touched for the first time
  traffic.regions.push_back(region);
  apply_machine(traffic, machine(), 1);
  const auto& levels = traffic.regions[0].levels;
  ASSERT_EQ(levels.size(), 3u);
  EXPECT_EQ(levels[0].level, "L1");
  EXPECT_DOUBLE_EQ(levels[0].load_bytes, 4000);
  EXPECT_DOUBLE_EQ(levels[1].load_bytes, 3000);
  EXPECT_EQ(levels[2].level, "memory");
  EXPECT_DOUBLE_EQ(levels[2].load_bytes, 2000);
  EXPECT_DOUBLE_EQ(traffic.regions[0].seconds, 1000 / 100e9 + 1000 / 50e9 + 2000 / 10e9);
}

TEST(Machine, AProfileWithoutCachesOrBandwidthIsRefused) {
  ProgramTraffic traffic;
  Profile bare = machine();
  bare.properties.caches.clear();
  EXPECT_THROW(apply_machine(traffic, bare, 0), Error);
  bare = machine();
  bare.curves.clear();
  EXPECT_THROW(apply_machine(traffic, bare, 0), Error);
}

TEST(Machine, ALoopOverVectorsThatFitReadsThemOnceFromMemory) {
  NEEDS_OCTAVE();
  const test::TemporaryFolder folder;
  const auto profile = folder.path() / "plain.json";
  write_profile(machine(), profile);
  // Two vectors of 160 KB, ten times: the second level holds both.
  const auto program =
      folder.write("a.m", "x = ones(20000,1); y = x;\n%SLM start r;\nfor k = 1:10\n  y = y + x;\nend\n%SLM end r;\n");
  const auto run = test::sparsecast({"traffic", program.string(), "--machine", profile.string(), "--json"},
                                    {"SPARSECAST_HOME=" + folder.path().string()});
  ASSERT_EQ(run.exit_code, 0) << run.err;
  EXPECT_TRUE(!test::can_validate() || test::fits_its_schema(run.out));
  const auto region = nlohmann::json::parse(run.out)["regions"][0];
  const double all = region["wsl_bytes"].get<double>();
  EXPECT_EQ(all, 10 * 2 * 160000);
  EXPECT_EQ(region["levels"][1]["load_bytes"].get<double>(), all);
  EXPECT_EQ(region["levels"][2]["load_bytes"].get<double>(), 2 * 160000);
  EXPECT_GT(region["seconds"].get<double>(), 0);
}

}  // namespace
}  // namespace sparsecast::traffic

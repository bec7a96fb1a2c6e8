// Levels and seconds of a region on a machine.

#include "memory_traffic/run/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <optional>
#include <sparsecast/error.hpp>

#include "memory_traffic/run/run_program.hpp"
#include "octave.hpp"
#include "program_files.hpp"

namespace sparsecast::memory_traffic {
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
  EXPECT_DOUBLE_EQ(traffic.regions[0].seconds.value_or(-1), 1000 / 100e9 + 1000 / 50e9 + 2000 / 10e9);
}

TEST(Machine, ForecastProductsTakeThePlaceOfTheirBytes) {
  ProgramTraffic traffic;
  RegionTraffic region;
  region.load_bytes = 4000;
  region.store_bytes = 800;
  region.load_reach.assign(200, 0.0);
  region.store_reach.assign(200, 0.0);
  region.load_reach[0] = region.store_reach[0] = 1;  // all is held by the first level
  region.products = {5, 7};
  region.product_bytes = {1000, 2000};
  traffic.regions.push_back(region);
  traffic.operands.resize(2);
  traffic.operands[0].rows = 10;
  traffic.operands[1].rows = 3;
  // Five products of the first matrix store 5 * 80 bytes; nothing is known of the second.
  apply_machine(traffic, machine(), 1, [](const Structure& structure) {
    return structure.rows == 10 ? std::optional<double>(0.5) : std::optional<double>();
  });
  EXPECT_DOUBLE_EQ(traffic.regions[0].product_seconds.value_or(-1), 2.5);
  EXPECT_DOUBLE_EQ(traffic.regions[0].seconds.value_or(-1), 2.5 + (4000 - 1000 + 800 - 400) / 100e9);
}

TEST(Machine, ABlockOfVectorsReadsItsMatrixOnce) {
  ProgramTraffic traffic;
  RegionTraffic region;
  region.load_bytes = 5240;
  region.store_bytes = 640;
  region.load_reach.assign(200, 0.0);
  region.store_reach.assign(200, 0.0);
  region.load_reach[0] = region.store_reach[0] = 1;
  // Two products with four vectors each: twice the matrix's 12 * 100 + 4 * 20 bytes, eight times a vector's 8 * 19.
  region.products = {8};
  region.product_bytes = {2 * 1280 + 8 * 152};
  traffic.regions.push_back(region);
  traffic.operands.resize(1);
  traffic.operands[0].rows = 10;
  traffic.operands[0].cols = 19;
  traffic.operands[0].nonzeros = 100;
  apply_machine(traffic, machine(), 1, [](const Structure&) { return std::optional<double>(0.5); });
  EXPECT_DOUBLE_EQ(traffic.regions[0].product_seconds.value_or(-1), 1.0);
  // The six further vectors are read and written beside what is no product.
  EXPECT_DOUBLE_EQ(traffic.regions[0].seconds.value_or(-1), 1.0 + (5240 - 2 * (1280 + 152) + 640 - 2 * 80) / 100e9);
}

TEST(Machine, SparseProductsAreNotedWithTheirMatrices) {
  NEEDS_OCTAVE();
  const test::TemporaryFolder folder;
  ::setenv("SPARSECAST_HOME", folder.path().c_str(), 1);
  // Rows of A: 2, 1 and 0 entries.
  const auto program = folder.write(
      "a.m",
      "A = sparse([1 1 2], [1 4 2], [1 2 3], 3, 5); x = ones(5, 1); y = ones(3, 1); X = ones(5, 2); f = @(v) A*v;\n"
      "%SLM start r;\na = A*x;\nb = A'*y;\nc = y'*A;\nd = A*X;\ne = feval(f, x);\ng = 2*A;\n%SLM end r;\n");
  RunOptions options;
  options.trace = true;
  const ProgramTraffic traffic = run_program(program, options);
  ::unsetenv("SPARSECAST_HOME");
  ASSERT_EQ(traffic.operands.size(), 2u);
  EXPECT_EQ(traffic.operands[0].rows, 3);
  EXPECT_EQ(traffic.operands[0].cols, 5);
  EXPECT_EQ(traffic.operands[0].row_max, 2);
  EXPECT_EQ(traffic.operands[1].rows, 5);  // transposed
  EXPECT_EQ(traffic.operands[1].row_max, 1);
  ASSERT_EQ(traffic.regions.size(), 1u);
  EXPECT_EQ(traffic.regions[0].products[0], 1 + 2 + 1);
  EXPECT_EQ(traffic.regions[0].products[1], 2);
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
  EXPECT_TRUE(test::fits_its_schema(run.out));
  const auto region = nlohmann::json::parse(run.out)["regions"][0];
  const double all = region["wsl_bytes"].get<double>();
  EXPECT_EQ(all, 10 * 2 * 160000);
  EXPECT_EQ(region["levels"][1]["load_bytes"].get<double>(), all);
  EXPECT_EQ(region["levels"][2]["load_bytes"].get<double>(), 2 * 160000);
  EXPECT_GT(region["seconds"].get<double>(), 0);
}

TEST(Machines, AreRankedByTheirBandwidthWhereNothingElseIsKnown) {
  const Curve slow = described_curve(describe_device("intel-xeon-e5-2680-v4")),
              fast = described_curve(describe_device("amd-epyc-9654"));
  EXPECT_DOUBLE_EQ(slow.y.back(), 0.8 * describe_device("intel-xeon-e5-2680-v4").memory_bandwidth);
  EXPECT_GT(fast.y.back(), slow.y.back());
  for (const std::string& name : described_devices()) {
    const Curve curve = described_curve(describe_device(name));
    for (std::size_t k = 1; k < curve.x.size(); ++k) {
      EXPECT_GT(curve.x[k], curve.x[k - 1]) << name;
      EXPECT_LE(curve.y[k], curve.y[k - 1]) << name;
    }
  }
}

TEST(Machines, AllOfThemAndStorageAnswerInTheSchema) {
  NEEDS_OCTAVE();
  const test::ProgramFiles files;
  const std::string program =
      "n = 3000; A = spdiags(ones(n,3), -1:1, n, n); x = rand(n,1);\n%SLM start r;\nfor k = 1:4\n  x = A*x;\nend\n%SLM "
      "end r;\n";
  const auto all = files.run(program, {"--machine", "all", "--json"});
  ASSERT_EQ(all.exit_code, 0) << all.err;
  EXPECT_TRUE(test::fits_its_schema(all.out));
  const nlohmann::json machines = nlohmann::json::parse(all.out)["machines"];
  EXPECT_GE(machines.size(), 25u);
  for (std::size_t k = 1; k < machines.size(); ++k)
    EXPECT_GE(machines[k]["seconds"].get<double>(), machines[k - 1]["seconds"].get<double>());
  const auto storage = files.run(program, {"--machine", "intel-xeon-8480", "--storage", "--json"});
  ASSERT_EQ(storage.exit_code, 0) << storage.err;
  EXPECT_TRUE(test::fits_its_schema(storage.out));
  const nlohmann::json matrices = nlohmann::json::parse(storage.out)["storage"];
  ASSERT_EQ(matrices.size(), 1u);
  EXPECT_EQ(matrices[0]["products"], 4);
  EXPECT_GE(matrices[0]["kernels"].size(), 3u);
}

}  // namespace
}  // namespace sparsecast::memory_traffic

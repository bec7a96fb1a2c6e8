// What a prototype is said to load against what its compiled twin loads in a simulated cache: the small sizes of
// scripts/measure-traffic. A cache of 4 KB holds no vector of these.

#include <gtest/gtest.h>

#include <cstdlib>
#include <nlohmann/json.hpp>
#include <regex>
#include <string>

#include "octave.hpp"
#include "support/parts.hpp"

namespace sparsecast::memory_traffic {
namespace {

constexpr test::Part valgrind{"valgrind", "valgrind"};
constexpr int line = 64;

struct Twin {
  const char* name;
  int iterations;
};

class Twins : public ::testing::TestWithParam<Twin> {};

// Bytes of the lines that reads miss in the first level.
double loaded(const std::filesystem::path& program, int iterations) {
  const auto run = test::run_program(
      "valgrind", {"--tool=cachegrind", "--cache-sim=yes", "--D1=4096,4,64", "--I1=32768,8,64", "--LL=8388608,16,64",
                   "--cachegrind-out-file=/dev/null", program.string(), std::to_string(iterations), "32", "96"});
  std::smatch found;
  EXPECT_TRUE(std::regex_search(run.err, found, std::regex("D1  misses: +[0-9,]+ +\\( *([0-9,]+) rd"))) << run.err;
  if (found.empty()) return 0;
  return line * std::stod(std::regex_replace(found[1].str(), std::regex(","), ""));
}

TEST_P(Twins, LoadWhatTheirPrototypesSay) {
  NEEDS_OCTAVE();
  if (test::run_program("sh", {"-c", "command -v valgrind"}).exit_code != 0) SKIP_OR_FAIL(valgrind);
  const std::string name = GetParam().name;
  const auto examples = std::filesystem::path(SPARSECAST_SOURCE_DIR) / "examples/traffic";
  const test::TemporaryFolder folder;
  std::string text = test::read_text(examples / (name + ".m"));
  text = std::regex_replace(text, std::regex("\\(96, 512\\)"), "(32, 96)");
  text = std::regex_replace(text, std::regex("nx = 96;\\s+ny = 512;"), "nx = 32;\nny = 96;");
  ASSERT_EQ(text.find("512"), std::string::npos);
  folder.write("poisson.m", test::read_text(examples / "poisson.m"));
  const auto report = test::sparsecast({"traffic", folder.write(name + ".m", text), "--json"},
                                       {"SPARSECAST_HOME=" + folder.path().string()});
  ASSERT_EQ(report.exit_code, 0) << report.err;
  const double predicted = nlohmann::json::parse(report.out)["regions"][0]["wsl_bytes"].get<double>();
  const auto twin = std::filesystem::path(SPARSECAST_COMMAND).parent_path() / "tests" / ("test-twin-" + name);
  const double measured = loaded(twin, GetParam().iterations) - loaded(twin, 0);
  EXPECT_NEAR(predicted / measured, 1, 0.06) << "predicted " << predicted << ", measured " << measured;
}

INSTANTIATE_TEST_SUITE_P(All, Twins,
                         ::testing::Values(Twin{"cg", 10}, Twin{"bicgstab_proto", 10}, Twin{"gmres_proto", 8},
                                           Twin{"jacobi", 10}),
                         [](const auto& about) { return about.param.name; });

}  // namespace
}  // namespace sparsecast::memory_traffic

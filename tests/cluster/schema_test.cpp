// Documents of the cluster commands against docs/schemas; the profile file too.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "support/command.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {

TEST(ClusterDocuments, FitTheirSchemas) {
  if (!test::can_validate()) GTEST_SKIP() << "no Python environment with jsonschema (scripts/make-venv)";
  const test::TemporaryFolder folder;
  const std::vector<std::string> home{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string matrix = folder.write(
      "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 3 1\n3 2 1\n4 4 1\n1 4 1\n");
  const auto measured =
      test::sparsecast({"cluster", "measure", matrix, "--processes", "1,4", "--budget", "0.01", "--json"}, home);
  if (measured.exit_code == 4) GTEST_SKIP() << measured.err;
  EXPECT_TRUE(test::fits_its_schema(measured.out)) << measured.err;
  const std::string profile = folder.path() / "p.cluster.json";
  const auto calibrated =
      test::sparsecast({"cluster", "calibrate", "--quick", "--processes", "1", "-o", profile, "--json"}, home);
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  EXPECT_TRUE(test::fits_its_schema(calibrated.out));
  const std::string taken = test::read_text(profile);
  EXPECT_TRUE(test::fits_its_schema(taken));
  // Going on with a finished calibration measures nothing again; going on with another cluster's is refused.
  const std::vector<std::string> again{"cluster", "calibrate", "--quick", "--processes",
                                       "1",       "--resume",  "-o",      profile};
  const auto resumed = test::sparsecast(again, home);
  ASSERT_EQ(resumed.exit_code, 0) << resumed.err;
  const auto before = nlohmann::json::parse(taken), after = nlohmann::json::parse(test::read_text(profile));
  for (const char* const part : {"node", "messages", "blocks", "runs"})
    EXPECT_EQ(before.at(part), after.at(part)) << part;
  std::vector<std::string> other = again;
  other.insert(other.end(), {"--cores-per-node", "77"});
  EXPECT_EQ(test::sparsecast(other, home).exit_code, 2);
  for (const char* const command : {"predict", "script"}) {
    const auto answer =
        test::sparsecast({"cluster", command, matrix, "--cluster", profile, "--processes", "1,4", "--json"}, home);
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_TRUE(test::fits_its_schema(answer.out));
  }
}

}  // namespace
}  // namespace sparsecast::cluster

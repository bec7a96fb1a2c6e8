// Documents of the cluster commands against docs/schemas; the profile file too.

#include <gtest/gtest.h>

#include "made_up.hpp"
#include "mpi.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {

class ClusterDocuments : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!test::can_validate()) SKIP_OR_FAIL(test::parts::schemas);
    if (!has_mpi()) SKIP_OR_FAIL(test::parts::mpi);
  }
  // What the command prints; it has to fit.
  test::CommandResult fits(std::vector<std::string> words) {
    words.emplace_back("--json");
    const auto answer = test::sparsecast(words, {"SPARSECAST_HOME=" + folder.path().string()});
    EXPECT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_TRUE(test::fits_its_schema(answer.out)) << answer.err;
    return answer;
  }
  test::TemporaryFolder folder;
  const std::string matrix = folder.write(
      "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 3 1\n3 2 1\n4 4 1\n1 4 1\n");
  const std::string profile = folder.path() / "p.cluster.json";
};
using SlowClusterDocuments = ClusterDocuments;  // scripts/due

TEST_F(ClusterDocuments, FitTheirSchemas) {
  fits({"cluster", "measure", matrix, "--processes", "1,4", "--budget", "0.01"});
  write_cluster_profile(made_up_profile(), profile);
  EXPECT_TRUE(test::fits_its_schema(test::read_text(profile)));
  for (const char* const command : {"predict", "script"})
    fits({"cluster", command, matrix, "--cluster", profile, "--processes", "1,4"});
}

TEST_F(SlowClusterDocuments, OfACalibrationFitTheirSchemas) {
  // Under a sanitizer the first may have no time for a training run, without which nothing is forecast.
  for (int call = 0; call < 6; ++call) {
    fits({"cluster", "calibrate", "--quick", "--processes", "1", "-o", profile, "--resume"});
    if (!read_cluster_profile(profile).runs.empty()) break;
  }
  EXPECT_TRUE(test::fits_its_schema(test::read_text(profile)));
  for (const char* const command : {"predict", "script"})
    fits({"cluster", command, matrix, "--cluster", profile, "--processes", "1,4"});
}

}  // namespace
}  // namespace sparsecast::cluster

// Documents of the cluster commands against docs/schemas; the profile file too.

#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/parts.hpp"
#include "support/schema.hpp"

namespace sparsecast::cluster {
namespace {

TEST(ClusterDocuments, FitTheirSchemas) {
  if (!test::can_validate()) SKIP_OR_FAIL(test::parts::schemas);
  const test::TemporaryFolder folder;
  const std::vector<std::string> home{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string matrix = folder.write(
      "m.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 5\n1 1 2\n2 3 1\n3 2 1\n4 4 1\n1 4 1\n");
  const auto measured =
      test::sparsecast({"cluster", "measure", matrix, "--processes", "1,4", "--budget", "0.01", "--json"}, home);
  if (measured.exit_code == 4) SKIP_OR_FAIL(test::parts::mpi);
  EXPECT_TRUE(test::fits_its_schema(measured.out)) << measured.err;
  const std::string profile = folder.path() / "p.cluster.json";
  const auto calibrated =
      test::sparsecast({"cluster", "calibrate", "--quick", "--processes", "1", "-o", profile, "--json"}, home);
  ASSERT_EQ(calibrated.exit_code, 0) << calibrated.err;
  EXPECT_TRUE(test::fits_its_schema(calibrated.out));
  EXPECT_TRUE(test::fits_its_schema(test::read_text(profile)));
  for (const char* const command : {"predict", "script"}) {
    const auto answer =
        test::sparsecast({"cluster", command, matrix, "--cluster", profile, "--processes", "1,4", "--json"}, home);
    ASSERT_EQ(answer.exit_code, 0) << answer.err;
    EXPECT_TRUE(test::fits_its_schema(answer.out));
  }
}

}  // namespace
}  // namespace sparsecast::cluster

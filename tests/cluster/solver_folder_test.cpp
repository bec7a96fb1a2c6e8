#include "cluster/launch/solver_folder.hpp"

#include <gtest/gtest.h>

#include <string>

#include "cluster/scheme/partition.hpp"
#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::cluster {
namespace {
TEST(SolverExample, SolvesOnRealRanks) {
  if (!has_partitioner()) SKIP_OR_FAIL(test::parts::metis);
  const test::TemporaryFolder folder;
  const std::vector<std::string> home{"SPARSECAST_HOME=" + folder.path().string()};
  const std::string matrix = folder.path() / "m.mtx", program = folder.path() / "solver";
  ASSERT_EQ(test::sparsecast({"generate", "poisson2d", "--size", "24", "-o", matrix}, home).exit_code, 0);
  for (const char* const processes : {"2", "4"}) {
    const std::string place = folder.path() / processes;
    const auto written = test::sparsecast({"cluster", "script", matrix, "--node", "intel-xeon-8480", "--network", "edr",
                                           "--ranks-per-node", "2", "--processes", processes, "--solver", place},
                                          home);
    ASSERT_EQ(written.exit_code, 0) << written.err;
    const auto built =
        test::run_program("sh", {"-c", "test -x " + program + " || mpicxx -DOMPI_SKIP_MPICXX -std=c++20 -O1 -Wall " +
                                           place + "/solver.cpp -o " + program});
    if (built.exit_code == 127) SKIP_OR_FAIL(test::parts::mpi);
    ASSERT_EQ(built.exit_code, 0) << built.err;
    const auto run =
        test::run_program("mpirun", {"--oversubscribe", "-n", processes, program, matrix, place + "/parts.txt", "300"},
                          {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
    ASSERT_EQ(run.exit_code, 0) << run.err;
    // Conjugate gradients find the solution only where every product is right.
    const auto at = run.out.find("residual ");
    ASSERT_NE(at, std::string::npos) << run.out;
    EXPECT_LT(std::strtod(run.out.c_str() + at + 9, nullptr), 1e-8) << run.out;
  }
}
}  // namespace
}  // namespace sparsecast::cluster

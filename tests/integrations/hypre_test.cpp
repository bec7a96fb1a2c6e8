// Plans within hypre's Krylov solvers, in a program of hypre's on one and more processes.

#include <gtest/gtest.h>

#include <algorithm>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

class HypreSolvers : public testing::TestWithParam<int> {};

TEST_P(HypreSolvers, DoAsWithHypresProducts) {
#ifdef HYPRE_SOLVES
  const TemporaryFolder home;
  const CommandResult result = run_program(
      "mpirun", {"--oversubscribe", "-np", std::to_string(GetParam()), HYPRE_SOLVES},
      {"SPARSECAST_HOME=" + home.path().string(), "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 6);
#else
  SKIP_OR_FAIL(parts::hypre);
#endif
}
INSTANTIATE_TEST_SUITE_P(Processes, HypreSolvers, testing::Values(1, 2, 3));

}  // namespace
}  // namespace sparsecast::test

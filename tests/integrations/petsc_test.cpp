// PETSc's matrix type beside PETSc's own, in a program of PETSc's on one and more processes, and loaded into a program
// that was not written for it.

#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

#ifdef PETSC_PRODUCTS

class PetscType : public testing::TestWithParam<std::tuple<std::string, int>> {
 protected:
  static CommandResult run(int processes, const std::vector<std::string>& arguments,
                           const std::vector<std::string>& more = {}) {
    const TemporaryFolder home;  // no calibration: the kernel is named, or the default one
    std::vector<std::string> words{"--oversubscribe", "-np", std::to_string(processes)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    std::vector<std::string> environment{"SPARSECAST_HOME=" + home.path().string(), "ASAN_OPTIONS=detect_leaks=0",
                                         "OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1",
                                         "OMPI_MCA_rmaps_base_oversubscribe=1"};
    environment.insert(environment.end(), more.begin(), more.end());
    return run_program("mpirun", words, environment);
  }
};

TEST_P(PetscType, DoesAsPetscDoes) {
  const auto& [kernel, processes] = GetParam();
  const CommandResult result = run(processes, {PETSC_PRODUCTS, "-mat_sparsecast_kernel", kernel});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// A kernel on PETSc's own arrays, one with arrays of its own, and all that have their turn.
INSTANTIATE_TEST_SUITE_P(KernelsAndProcesses, PetscType,
                         testing::Combine(testing::Values("csr", "sell", ""), testing::Values(1, 2, 3)));

TEST_F(PetscType, IsLoadedIntoAProgramThatDoesNotKnowIt) {
  const CommandResult result =
      run(1, {PETSC_STRANGER, "-dll_append", PETSC_LIBRARY, "-mat_type", "sparsecast", "-mat_view", "::ascii_info"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("seqaij 20"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("sparsecast: "), std::string::npos) << result.out;
}

TEST_F(PetscType, RanksMayHaveDifferentPlans) {
  const CommandResult result = run(1, {PETSC_PRODUCTS, "-mat_sparsecast_kernel", "csr", ":", "-np", "1", PETSC_PRODUCTS,
                                       "-mat_sparsecast_kernel", "sell"});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// One was never calibrated, the other's store is of a later version.
TEST_F(PetscType, RanksMayHaveDifferentCalibrations) {
  const TemporaryFolder other;
  ASSERT_EQ(
      run_program("sqlite3", {other.path() / "store.sqlite", "PRAGMA user_version = 999; CREATE TABLE later (a);"})
          .exit_code,
      0);
  const CommandResult result =
      run(1, {PETSC_PRODUCTS, ":", "-np", "1", "-x", "SPARSECAST_HOME=" + other.path().string(), PETSC_PRODUCTS});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

TEST_F(PetscType, ARankThatIsKilledWithinASolveEndsAll) {
  const TemporaryFolder left;
  const CommandResult result = run(
      3, {PETSC_STRANGER, "-dll_append", PETSC_LIBRARY, "-mat_type", "sparsecast", "-kill", "1", "-of", left.path()},
      {"TMPDIR=" + left.path().string()});
  EXPECT_NE(result.exit_code, 0);
  EXPECT_NE((result.out + result.err).find("signal 9"), std::string::npos) << result.out << result.err;
  EXPECT_TRUE(std::filesystem::is_empty(left.path()));
  EXPECT_EQ(run_program("pgrep", {"-f", "petsc-stranger.*" + left.path().string()}).exit_code, 1) << "some are left";
}

#else

TEST(PetscType, DoesAsPetscDoes) { SKIP_OR_FAIL(parts::petsc); }

#endif

}  // namespace
}  // namespace sparsecast::test

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
  static CommandResult run(int processes, const std::vector<std::string>& arguments) {
    const TemporaryFolder home;  // no calibration: the kernel is named, or the default one
    std::vector<std::string> words{"--oversubscribe", "-np", std::to_string(processes)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program(
        "mpirun", words,
        {"SPARSECAST_HOME=" + home.path().string(), "ASAN_OPTIONS=detect_leaks=0", "OMPI_ALLOW_RUN_AS_ROOT=1",
         "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1"});
  }
};

TEST_P(PetscType, DoesAsPetscDoes) {
  const auto& [kernel, processes] = GetParam();
  const CommandResult result = run(processes, {PETSC_PRODUCTS, "-mat_sparsecast_kernel", kernel});
  EXPECT_EQ(result.exit_code, 0) << result.out << result.err;
}

// A kernel on PETSc's own arrays, and one with arrays of its own.
INSTANTIATE_TEST_SUITE_P(KernelsAndProcesses, PetscType,
                         testing::Combine(testing::Values("csr", "sell"), testing::Values(1, 2, 3)));

TEST_F(PetscType, IsLoadedIntoAProgramThatDoesNotKnowIt) {
  const CommandResult result =
      run(1, {PETSC_STRANGER, "-dll_append", PETSC_LIBRARY, "-mat_type", "sparsecast", "-mat_view", "::ascii_info"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("seqaij 20"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("sparsecast: "), std::string::npos) << result.out;
}

#else

TEST(PetscType, DoesAsPetscDoes) { SKIP_OR_FAIL(parts::petsc); }

#endif

}  // namespace
}  // namespace sparsecast::test

// PETSc's matrix type beside PETSc's own products, in a program of PETSc's on one and on two processes, and loaded into
// a program that was not written for it.

#include <gtest/gtest.h>

#include "support/command.hpp"
#include "support/parts.hpp"

namespace sparsecast::test {
namespace {

#ifdef PETSC_PRODUCTS

class PetscType : public testing::TestWithParam<std::string> {
 protected:
  static CommandResult run(int processes, const std::vector<std::string>& arguments) {
    const TemporaryFolder home;  // no calibration: the kernel is named, or the default one
    std::vector<std::string> words{"--oversubscribe", "-np", std::to_string(processes)};
    words.insert(words.end(), arguments.begin(), arguments.end());
    return run_program("mpirun", words,
                       {"SPARSECAST_HOME=" + home.path().string(), "OMPI_ALLOW_RUN_AS_ROOT=1",
                        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "OMPI_MCA_rmaps_base_oversubscribe=1"});
  }
};

TEST_P(PetscType, MultipliesAsPetscDoes) {
  for (const int processes : {1, 2}) {
    const CommandResult result = run(processes, {PETSC_PRODUCTS, "-sparsecast_kernel", GetParam()});
    EXPECT_EQ(result.exit_code, 0) << processes << " processes: " << result.out << result.err;
  }
}

// A kernel on PETSc's own arrays, and one with arrays of its own.
INSTANTIATE_TEST_SUITE_P(Kernels, PetscType, testing::Values("csr", "sell"));

TEST_F(PetscType, IsLoadedIntoAProgramThatDoesNotKnowIt) {
  const CommandResult result = run(1, {PETSC_STRANGER, "-dll_append", PETSC_LIBRARY, "-mat_type", "sparsecast"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("seqaijsparsecast"), std::string::npos) << result.out;
}

#else

TEST(PetscType, MultipliesAsPetscDoes) { SKIP_OR_FAIL(parts::petsc); }

#endif

}  // namespace
}  // namespace sparsecast::test

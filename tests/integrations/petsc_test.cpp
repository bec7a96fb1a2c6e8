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

TEST_F(PetscType, RefusesValuesOfOptionsThatAreNone) {
  const auto refusal = [](const char* option, const char* value) {
    const CommandResult result =
        run(1, {PETSC_STRANGER, "-dll_append", PETSC_LIBRARY, "-mat_type", "sparsecast", option, value});
    EXPECT_NE(result.exit_code, 0) << option;
    return result.err;
  };
  EXPECT_NE(
      refusal("-mat_sparsecast_kernel", "selll").find("sparsecast: -mat_sparsecast_kernel is selll; give one of csr, "),
      std::string::npos);
  EXPECT_NE(refusal("-mat_sparsecast_threads", "0")
                .find("sparsecast: -mat_sparsecast_threads is 0; give a number from 1 to 1024"),
            std::string::npos);
  EXPECT_NE(refusal("-mat_sparsecast_threads", "100000").find("-mat_sparsecast_threads is 100000"), std::string::npos);
  EXPECT_NE(refusal("-mat_sparsecast_iterations", "-5").find("-mat_sparsecast_iterations is -5"), std::string::npos);
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

// Integers of PETSc's files are big-endian.
std::int32_t number_at(const std::string& file, std::size_t place) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i) number = number << 8 | static_cast<unsigned char>(file.at(4 * place + i));
  return static_cast<std::int32_t>(number);
}

// Every row of the first half has one of the second for a neighbour, in the other process as they come.
TEST_F(PetscType, RowsAreDealtSoThatProcessesReadLittleOfEachOther) {
  constexpr int rows = 400;
  std::vector<std::int32_t> lengths, columns;
  for (int row = 0; row < rows; ++row) {
    const auto before = columns.size();
    for (const int column : {row - rows / 2, row, row + rows / 2})
      if (column >= 0 && column < rows) columns.push_back(column);
    lengths.push_back(static_cast<int>(columns.size() - before));
  }
  std::string file;
  const auto put = [&](std::int32_t number) {
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(number >> shift);
  };
  for (const int number : {1211216, rows, rows, static_cast<int>(columns.size())}) put(number);
  for (const int length : lengths) put(length);
  for (const int column : columns) put(column);
  for (std::size_t i = 0; i < columns.size(); ++i) file += std::string("\x3f\xf0\0\0\0\0\0\0", 8);  // 1.0
  const TemporaryFolder folder;
  const std::string in = folder.write("in.petsc", file), out = folder.path() / "out.petsc";
  // What an ended run left is longer; none of it becomes part of the answer.
  folder.write("out.petsc.part", std::string(2 * file.size() + 100'000, 'x'));
  const CommandResult result = run(2, {PETSC_PARTITION, "-f", in, "-o", out, "-symetric"});
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.err.find("option -symetric is not known here, and changed nothing"), std::string::npos)
      << result.err;
  EXPECT_EQ(result.err.find("option -o "), std::string::npos) << result.err;
  EXPECT_NE(result.out.find("400 rows, at most 200 for a process"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("entries of x from other processes: 0 instead of 400"), std::string::npos) << result.out;

  // The order behind the matrix is a permutation, and leads from its rows to those there were.
  const std::string dealt = read_text(out);
  const std::size_t order = 4 + rows + columns.size() + 2 * columns.size();
  ASSERT_EQ(dealt.size(), 4 * (order + 2 + rows));
  std::vector<bool> seen(rows);
  std::size_t entry = 4 + rows;
  for (int row = 0; row < rows; ++row) {
    const int old = number_at(dealt, order + 2 + row);
    EXPECT_FALSE(seen.at(old));
    seen.at(old) = true;
    for (int k = 0; k < number_at(dealt, 4 + row); ++k) {
      const int other = number_at(dealt, order + 2 + number_at(dealt, entry++));
      EXPECT_TRUE(other == old || std::abs(other - old) == rows / 2) << old << " " << other;
    }
  }
}

// Rows of the second half have a neighbour that does not have them: the graph is made symmetric first.
TEST_F(PetscType, APatternThatIsNotSymmetricIsDealtUnlessItIsSaidToBe) {
  constexpr int half = 100;
  std::string file;
  const auto put = [&](std::int32_t number) {
    for (const int shift : {24, 16, 8, 0}) file += static_cast<char>(number >> shift);
  };
  for (const int number : {1211216, 2 * half, 2 * half, 3 * half}) put(number);
  for (int row = 0; row < 2 * half; ++row) put(row < half ? 1 : 2);
  for (int row = 0; row < half; ++row) put(row);
  for (int row = 0; row < half; ++row) put(row), put(half + row);
  for (int entry = 0; entry < 3 * half; ++entry) file += std::string("\x3f\xf0\0\0\0\0\0\0", 8);  // 1.0
  const TemporaryFolder folder;
  const std::string in = folder.write("in", file), out = folder.path() / "out";
  const CommandResult result = run(2, {PETSC_PARTITION, "-f", in, "-o", out, "-symmetric", "0"});
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("entries of x from other processes: 0 instead of 100"), std::string::npos) << result.out;
}

TEST_F(PetscType, WhatIsNoMatrixIsNotDealt) {
  const TemporaryFolder folder;
  const CommandResult result =
      run(1, {PETSC_PARTITION, "-f", folder.write("text", "no matrix of PETSc's, however long it is"), "-o",
              folder.path() / "out"});
  EXPECT_EQ(result.exit_code, 3);
  EXPECT_NE(result.err.find(": not a PETSc matrix"), std::string::npos) << result.err;
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

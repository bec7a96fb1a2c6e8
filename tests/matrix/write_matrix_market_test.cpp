// What is written reads back as it was, to the last bit.

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>
#include <sparsecast/write.hpp>

#include "support/command.hpp"
#include "support/matrices.hpp"

namespace sparsecast {
namespace {

TEST(WriteMatrixMarket, RowsInOrderWithTheFewestDigits) {
  const test::TemporaryFolder folder;
  const Matrix matrix = read_matrix(
      folder.write("a.mtx", "%%MatrixMarket matrix coordinate real general\n2 3 3\n2 3 1e-1\n1 1 -3.00\n2 1 1e300\n"));
  write_matrix_market(matrix, folder.path() / "b.mtx", {.comment = "made here\nin two lines"});
  EXPECT_EQ(test::read_text(folder.path() / "b.mtx"),
            "%%MatrixMarket matrix coordinate real general\n% made here\n% in two lines\n2 3 3\n1 1 -3\n2 1 1e+300\n2 "
            "3 0.1\n");
  write_matrix_market(matrix, folder.path() / "b.mtx", {.pattern = true});
  EXPECT_EQ(test::read_text(folder.path() / "b.mtx"),
            "%%MatrixMarket matrix coordinate pattern general\n2 3 3\n1 1\n2 1\n2 3\n");
}

TEST(WriteMatrixMarket, RandomMatricesReadBackTheSame) {
  const test::TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const auto& [rows, cols, entries] : std::vector<std::array<std::int64_t, 3>>{
           {0, 0, 0}, {0, 5, 0}, {5, 0, 0}, {1, 1, 1}, {7, 3, 10}, {3, 700, 900}, {5000, 4000, 200000}}) {
    for (const char* ending : {".mtx", ".mtx.gz"}) {
      const Matrix matrix = test::random_matrix(rows, cols, entries, ++seed);
      const auto file = folder.path() / (std::string("m") + ending);
      write_matrix_market(matrix, file, {.threads = 3});
      EXPECT_TRUE(test::same(matrix, read_matrix(file, {.threads = 2}))) << rows << "×" << cols << ending;
    }
    const Matrix symmetric = test::random_matrix(rows, rows, entries, ++seed, true);
    write_matrix_market(symmetric, folder.path() / "s.mtx", {.symmetric = true});
    EXPECT_TRUE(test::same(symmetric, read_matrix(folder.path() / "s.mtx")));
  }
}

ErrorCode code_of(const Matrix& matrix, const std::filesystem::path& file, const WriteOptions& options = {}) {
  try {
    write_matrix_market(matrix, file, options);
  } catch (const Error& error) {
    EXPECT_FALSE(error.remedy().empty());
    return error.code();
  }
  ADD_FAILURE() << file << " was written";
  return ErrorCode::bad_input;
}

TEST(WriteMatrixMarket, UnsymmetricIsNotWrittenAsSymmetric) {
  const test::TemporaryFolder folder;
  EXPECT_EQ(code_of(test::random_matrix(20, 20, 50, 1), folder.path() / "a.mtx", {.symmetric = true}),
            ErrorCode::usage);
  EXPECT_EQ(code_of(test::random_matrix(20, 10, 50, 1), folder.path() / "a.mtx", {.symmetric = true}),
            ErrorCode::usage);
  EXPECT_FALSE(std::filesystem::exists(folder.path() / "a.mtx"));
}

TEST(WriteNpz, MatricesReadBackTheSame) {
  const test::TemporaryFolder folder;
  std::uint64_t seed = 0;
  for (const auto& [rows, cols, entries] :
       std::vector<std::array<std::int64_t, 3>>{{0, 0, 0}, {0, 5, 0}, {5, 0, 0}, {7, 3, 10}, {5000, 4000, 200000}}) {
    const Matrix matrix = test::random_matrix(rows, cols, entries, ++seed);
    write_npz(matrix, folder.path() / "m.npz");
    EXPECT_TRUE(test::same(matrix, read_matrix(folder.path() / "m.npz"))) << rows << "×" << cols;
  }
  EXPECT_THROW(write_npz(test::random_matrix(9, 9, 20, 1), "/dev/full"), Error);
}

TEST(WriteMatrixMarket, FailuresAreToldAndLeaveNothingBehind) {
  const test::TemporaryFolder folder;
  const Matrix matrix = test::random_matrix(100, 100, 5000, 1);
  EXPECT_EQ(code_of(matrix, "/dev/full"), ErrorCode::failed);
  EXPECT_TRUE(std::filesystem::is_character_file("/dev/full"));
  EXPECT_EQ(code_of(matrix, folder.path()), ErrorCode::failed);
  EXPECT_EQ(code_of(matrix, folder.path() / "no" / "a.mtx"), ErrorCode::failed);
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WriteMatrixMarket, ASymbolicLinkStaysOne) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("file.mtx", "old"), link = folder.path() / "link.mtx";
  std::filesystem::create_symlink(file, link);
  const Matrix matrix = test::random_matrix(10, 10, 20, 1);
  write_matrix_market(matrix, link);
  EXPECT_TRUE(std::filesystem::is_symlink(link));
  EXPECT_TRUE(test::same(matrix, read_matrix(file)));
}

}  // namespace
}  // namespace sparsecast

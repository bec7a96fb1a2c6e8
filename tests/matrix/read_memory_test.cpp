// Archives of a few bytes that unpack to millions of entries: memory stays within what the entries and the result take,
// and where even that is not to be had, the command says so.

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/read.hpp>

#include "matrix/io/read_npz.hpp"
#include "support/command.hpp"
#include "support/npz.hpp"

namespace sparsecast {
namespace {

using test::npy;
using test::raw;

/// 3 × 3 in COO: row 1 alone, its columns in turns, all values 1.
std::string many_duplicates(std::int64_t entries, const std::string& turns) {
  const auto size = static_cast<std::size_t>(entries);
  std::string cols(size, 0);
  for (std::size_t k = 0; k < size; ++k) cols[k] = turns[k % turns.size()];
  const std::string shape = fmt::format("({},)", entries);
  return test::zip({{"format.npy", npy("|S3", "()", "coo")},
                    {"shape.npy", npy("<i8", "(2,)", raw(std::vector<std::int64_t>{3, 3}))},
                    {"row.npy", npy("|i1", shape, std::string(size, '\1'))},
                    {"col.npy", npy("|i1", shape, cols)},
                    {"data.npy", npy("|i1", shape, std::string(size, '\1'))}},
                   true);
}

/// Most memory that `sparsecast info FILE` held at a time. By fork: what a spawned process shares with this one until
/// its program begins would count too.
double peak_bytes(const std::string& file) {
  const std::string output = file + ".json";
  const pid_t child = ::fork();
  if (child == 0) {
    const int out = ::open(output.c_str(), O_WRONLY | O_CREAT, 0644);
    ::dup2(out, 1);
    ::execl(SPARSECAST_COMMAND, SPARSECAST_COMMAND, "info", file.c_str(), "--json", nullptr);
    ::_exit(127);
  }
  int status = -1;
  rusage used{};
  EXPECT_EQ(::wait4(child, &status, 0, &used), child);
  EXPECT_EQ(status, 0);
  return 1024.0 * static_cast<double>(used.ru_maxrss);
}

TEST(ReadingDuplicates, SumsThemInTheirOrder) {
  const test::TemporaryFolder folder;
  for (const auto& turns : {std::string{2}, {2, 0}, {2, 0, 1, 1, 0, 2}}) {
    const Matrix::Storage storage = matrix::read_npz(many_duplicates(60000, turns), "a.npz", {});
    EXPECT_TRUE(Matrix(storage, "a").is_canonical());
    double sum = 0;
    std::visit(
        [&](const auto& csr) {
          for (const double value : csr.values) sum += value;
          EXPECT_LE(csr.values.capacity(), 3u) << "room of the duplicates is kept";
        },
        storage);
    EXPECT_EQ(sum, 60000);
  }
  // 1e16 swallows a 1 that comes after it: another order is another sum.
  const Matrix matrix = read_matrix(folder.write(
      "b.mtx", "%%MatrixMarket matrix coordinate real general\n1 2 5\n1 2 1e16\n1 1 1\n1 2 1\n1 2 -1e16\n1 2 3\n"));
  matrix.visit([&](const auto& csr) { EXPECT_EQ(csr.values[1], 3); });
}

TEST(ReadingDuplicates, TakesNoMoreThanEntriesAndResult) {
  constexpr std::int64_t entries = 1 << 22;
  constexpr double staging_and_result = 28.0 * entries, program = 20e6;
  const test::TemporaryFolder folder;
  for (const auto& turns : {std::string{2}, {2, 0}}) {
    const auto file = folder.write("a.npz", many_duplicates(entries, turns));
    EXPECT_LT(peak_bytes(file), staging_and_result + program) << turns.size() << " columns";
  }
}

TEST(ReadingDuplicates, IsRefusedBeforehandWhereTheEntriesDoNotFit) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.npz", many_duplicates(1 << 20, {2, 0}));
  EXPECT_LT(std::filesystem::file_size(file), 100'000u);
  try {
    (void)read_matrix(file, {.memory_bytes = 20'000'000});
    FAIL() << "was read";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large) << error.what();
    EXPECT_EQ(error.place().file, file.string());
    EXPECT_NE(error.reason().find("1,048,576 entries needs"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_matrix(file, {.memory_bytes = 40'000'000}).nonzeros(), 2);
}

// Memory that ends at any point of the reading ends the command with a line, never with a signal.
TEST(ReadingDuplicates, SaysWhereMemoryEnds) {
  const test::TemporaryFolder folder;
  const auto file = folder.write("a.npz", many_duplicates(1 << 21, {2, 0})).string();
  int refused = 0, read = 0;
  for (int kilobytes = 60'000; kilobytes < 700'000; kilobytes += kilobytes / 10) {
    const auto result = test::run_program("/bin/sh", {"-c", fmt::format("ulimit -v {}; exec '{}' info '{}' --threads 1",
                                                                        kilobytes, SPARSECAST_COMMAND, file)});
    if (result.exit_code == 127) continue;  // its libraries alone do not fit
    EXPECT_TRUE(result.exit_code == 0 || result.exit_code == 1) << result.exit_code << " at " << kilobytes << " kB";
    if (result.exit_code == 1) {
      EXPECT_EQ(std::ranges::count(result.err, '\n'), 1) << result.err;
    }
    (result.exit_code == 0 ? read : refused) += 1;
  }
  EXPECT_GT(refused, 2);
  EXPECT_GT(read, 2);
}

}  // namespace
}  // namespace sparsecast

// What a plan knows its matrix by.

#include "planning/run/matrix_checksums.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <set>
#include <sparsecast/generate.hpp>
#include <sparsecast/plan.hpp>

#include "planning/run/bulk_hash.hpp"
#include "support/command.hpp"
#include "support/matrices.hpp"

namespace sparsecast::planning {
namespace {
template <class Number>
std::string hash_of(const std::vector<Number>& numbers) {
  BulkHash hash;
  hash.add(std::span<const Number>(numbers));
  return hash.text();
}

TEST(BulkHash, TellsNumbersTheirPlacesAndHowManyThereAre) {
  std::set<std::string> seen;
  std::size_t different = 0;
  for (const std::size_t count : {0U, 1U, 63U, 64U, 65U, 200U}) {
    std::vector<std::int64_t> numbers(count, 3);
    seen.insert(hash_of(numbers));
    ++different;
    for (std::size_t k = 0; k < count; ++k) {
      numbers[k] = 4;
      seen.insert(hash_of(numbers));
      numbers[k] = 3;
      ++different;
    }
  }
  EXPECT_EQ(seen.size(), different);
}

TEST(BulkHash, DoesNotDependOnTheType) {
  EXPECT_EQ(hash_of(std::vector<std::int32_t>(100, -5)), hash_of(std::vector<std::int64_t>(100, -5)));
  EXPECT_EQ(hash_of(std::vector<float>(100, 0.5F)), hash_of(std::vector<double>(100, 0.5)));
  EXPECT_NE(hash_of(std::vector<double>(100, 0.0)), hash_of(std::vector<double>(100, -0.0)));
}

TEST(BulkHash, IsWhatItWas) {
  EXPECT_EQ(hash_of(std::vector<std::int32_t>{1, 2, 3}), "5d78f964d970513c469fb8355256d438");
}

TEST(MatrixChecksums, TellPatternAndValues) {
  const Matrix a = test::random_matrix(50, 40, 300, 1), b = test::random_matrix(50, 40, 300, 2);
  EXPECT_NE(matrix_checksums(a).pattern, matrix_checksums(b).pattern);
  EXPECT_NE(matrix_checksums(a).whole, matrix_checksums(a).pattern);
  EXPECT_EQ(matrix_checksums(a).whole, matrix_checksum(a));
}

// Version 0.1 bound them by another checksum.
TEST(SavedPlan, OfAnEarlierVersionIsRead) {
  const test::TemporaryFolder folder;
  const auto file = folder.path() / "plan.json";
  const Matrix a = test::random_matrix(50, 40, 300, 1);
  Plan(a, one_kernel(a, "csr", Precision::double_, 1)).save(file);
  std::string text = test::read_text(file);
  const std::size_t at = text.find(matrix_checksum(a));
  ASSERT_NE(at, std::string::npos);
  text.replace(at, 32, earlier_checksum(a));
  std::ofstream(file) << text;
  EXPECT_EQ(Plan::load(file, a).kernels(), std::vector<std::string>{"csr"});
}
}  // namespace
}  // namespace sparsecast::planning

// The max-plus algebra: the paper's matrices, and the laws that its formulas rely on.
#include "gpu_code/max_plus.hpp"

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <random>

#include "support/parts.hpp"

namespace sparsecast::gpu_code {
namespace {

// Whole numbers, so that + is exact and equality is meant literally.
std::vector<MaxPlusEntry> random_entries(std::mt19937& random, std::int64_t rows, std::int64_t cols) {
  std::vector<MaxPlusEntry> entries;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j)
      if (random() % 3 == 0) entries.push_back({i, j, static_cast<double>(random() % 50)});
  return entries;
}
MaxPlusMatrix random_matrix(std::mt19937& random, std::int64_t rows, std::int64_t cols) {
  return {rows, cols, random_entries(random, rows, cols)};
}

constexpr double t = 400, T = 300, tau = 20;

MaxPlusMatrix paper_z1() { return {4, 4, {{0, 1, T}, {1, 2, t}, {1, 3, t}}}; }
MaxPlusMatrix paper_z2() { return {4, 4, {{0, 1, T}, {1, 1, tau}, {1, 2, t}, {1, 3, t}}}; }

TEST(MaxPlus, SquareOfTheNaiveMatrixAsPrinted) {
  EXPECT_EQ(power(paper_z1(), 2), MaxPlusMatrix(4, 4, {{0, 2, T + t}, {0, 3, T + t}}));
}

TEST(MaxPlus, PowersOfTheMatrixWithOperationsAsPrinted) {
  EXPECT_EQ(
      power(paper_z2(), 2),
      MaxPlusMatrix(
          4, 4, {{0, 1, T + tau}, {0, 2, T + t}, {0, 3, T + t}, {1, 1, 2 * tau}, {1, 2, tau + t}, {1, 3, tau + t}}));
  EXPECT_EQ(power(paper_z2(), 3), MaxPlusMatrix(4, 4,
                                                {{0, 1, T + 2 * tau},
                                                 {0, 2, T + tau + t},
                                                 {0, 3, T + tau + t},
                                                 {1, 1, 3 * tau},
                                                 {1, 2, 2 * tau + t},
                                                 {1, 3, 2 * tau + t}}));
}

TEST(MaxPlus, TableOneParallelTakesTheLongerAndSeriesTheSum) {
  const std::vector<double> input = {epsilon, epsilon, 0};
  EXPECT_EQ(
      inner(std::vector<double>{0, 0, epsilon}, gpu_code::apply(MaxPlusMatrix(3, 3, {{0, 2, 5}, {1, 2, 7}}), input)),
      7);
  EXPECT_EQ(inner(std::vector<double>{0, epsilon, epsilon},
                  gpu_code::apply(power(MaxPlusMatrix(3, 3, {{0, 1, 5}, {1, 2, 7}}), 2), input)),
            12);
}

TEST(MaxPlus, ProductIsAssociativeAndDistributes) {
  std::mt19937 random(1);
  for (int i = 0; i < 50; ++i) {
    const auto a = random_matrix(random, 4, 5), b = random_matrix(random, 5, 3), c = random_matrix(random, 3, 6),
               d = random_matrix(random, 5, 3);
    EXPECT_EQ(product(product(a, b), c), product(a, product(b, c)));
    EXPECT_EQ(product(a, sum(b, d)), sum(product(a, b), product(a, d)));
  }
}

TEST(MaxPlus, IdentityIsNeutral) {
  std::mt19937 random(2);
  const auto a = random_matrix(random, 6, 6);
  EXPECT_EQ(product(a, MaxPlusMatrix::identity(6)), a);
  EXPECT_EQ(product(MaxPlusMatrix::identity(6), a), a);
  EXPECT_EQ(power(a, 0), MaxPlusMatrix::identity(6));
}

TEST(MaxPlus, PowersOfManyInstancesAreThoseOfOne) {  // (I_n ⊗ Z)^m = I_n ⊗ Z^m
  std::mt19937 random(3);
  for (std::int64_t n = 1; n <= 4; ++n)
    for (std::int64_t m = 1; m <= 5; ++m) {
      const auto z = random_matrix(random, 4, 4);
      EXPECT_EQ(power(kronecker(MaxPlusMatrix::identity(n), z), m), kronecker(MaxPlusMatrix::identity(n), power(z, m)));
    }
}

TEST(MaxPlus, MixedKroneckerProduct) {  // (A ⊗ B) ⊙ (C ⊗ D) = (A ⊙ C) ⊗ (B ⊙ D)
  std::mt19937 random(4);
  const auto a = random_matrix(random, 2, 3), b = random_matrix(random, 3, 2), c = random_matrix(random, 3, 2),
             d = random_matrix(random, 2, 4);
  EXPECT_EQ(product(kronecker(a, b), kronecker(c, d)), kronecker(product(a, c), product(b, d)));
}

TEST(MaxPlus, GraphBlasGivesTheSamePowers) {
  if (!graphblas::available()) SKIP_OR_FAIL(test::parts::graphblas);
  std::mt19937 random(5);
  for (int i = 0; i < 20; ++i) {
    auto entries = random_entries(random, 7, 7);
    entries.push_back({3, 4, 60});  // a place that may have another entry
    std::vector<double> x(7, epsilon);
    x[2] = 0;
    x[5] = 3;
    EXPECT_EQ(graphblas::apply_power(entries, 4, x), gpu_code::apply(power({7, 7, entries}, 4), x));
  }
}

// In a process of its own, in which nothing has started it yet.
TEST(MaxPlusDeathTest, AProgramMayHaveStartedGraphBlasItself) {
  if (!graphblas::available()) SKIP_OR_FAIL(test::parts::graphblas);
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto multiply = [] {
    using Start = int (*)(int);  // GrB_init, of which 0 is a mode
    const auto start = reinterpret_cast<Start>(dlsym(RTLD_DEFAULT, "GrB_init"));
    if (start == nullptr || start(0) != 0) std::_Exit(2);
    const std::vector<MaxPlusEntry> entries{{0, 1, 3}, {1, 0, 4}};
    std::_Exit(graphblas::apply_power(entries, 2, std::vector<double>{1, 2}) == std::vector<double>{8, 9} ? 0 : 1);
  };
  EXPECT_EXIT(multiply(), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace sparsecast::gpu_code

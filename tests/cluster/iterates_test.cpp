#include "cluster/scheme/iterates.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <utility>

namespace sparsecast::cluster {
namespace {
Matrix diagonal(std::vector<double> values) {
  Csr<std::int32_t, std::int32_t> csr{
      static_cast<std::int64_t>(values.size()), static_cast<std::int64_t>(values.size()), {}, {}, {}};
  for (std::int32_t r = 0; r <= csr.rows; ++r) csr.row_pointers.push_back(r);
  for (std::int32_t r = 0; r < csr.rows; ++r) csr.column_indices.push_back(r);
  csr.values.assign(values.begin(), values.end());
  return Matrix(std::move(csr), "diagonal");
}

TEST(Iterate, TakesOutPowersOfTwoExactly) {
  for (const int iterations : {0, 1, 31, 32, 50}) {
    const IteratedVector x = iterate_sequentially(diagonal({2, 4}), iterations);
    // 2^k·x₀ and 4^k·x₀ without any rounding.
    EXPECT_EQ(std::ldexp(x.values[0], static_cast<int>(x.exponent) - iterations), start_value(0)) << iterations;
    EXPECT_EQ(std::ldexp(x.values[1], static_cast<int>(x.exponent) - 2 * iterations), start_value(1)) << iterations;
  }
}

TEST(Iterate, NeitherOverflowsNorFades) {
  for (const double size : {1e300, 1e-300, 3.0}) {
    const IteratedVector x = iterate_sequentially(diagonal({size, size / 7}), 1000);
    EXPECT_TRUE(std::isfinite(x.values[0]));
    EXPECT_GT(std::abs(x.values[0]), 1e-30);
    EXPECT_NEAR(log2_norm(x), 1000 * std::log2(size) + std::log2(start_value(0)),
                1e-6 * std::abs(1000 * std::log2(size)));
  }
}

TEST(Iterate, ComesToRestAtZero) {
  const IteratedVector x = iterate_sequentially(diagonal({0, 0}), 40);
  EXPECT_EQ(x.values, (std::vector<double>{0, 0}));
  EXPECT_EQ(log2_norm(x), -INFINITY);
}

TEST(RelativeDistance, ComparesAcrossExponents) {
  const IteratedVector reference{{1, 2}, 10};
  EXPECT_EQ(relative_distance({{0.5, 1}, 11}, reference), 0);
  EXPECT_DOUBLE_EQ(relative_distance({{1, 2.5}, 10}, reference), 0.25);
  EXPECT_TRUE(std::isnan(relative_distance({{std::nan(""), 2}, 10}, reference)));
}
}  // namespace
}  // namespace sparsecast::cluster

// How many products are done before a look at the matrix pays.

#include "planning/choice/few_products.hpp"

#include <gtest/gtest.h>

#include <sparsecast/generate.hpp>

namespace sparsecast::planning {
namespace {
bool is_done(const Matrix& matrix, std::int64_t products, std::int64_t vectors = 1) {
  PlanRequest request;
  request.strategy.iterations = products;
  request.strategy.vectors = vectors;
  return is_done_before_a_look(request, matrix);
}

// Five entries a row.
Matrix grid(int side) { return generate({"poisson2d", 0, 0, 0, 0, 1, {.size = side}}); }

TEST(FewProducts, AreFewerOfALargeMatrix) {
  const Matrix small = grid(100), large = grid(160);
  ASSERT_LT(small.nonzeros(), 100'000);
  ASSERT_GE(large.nonzeros(), 100'000);
  EXPECT_TRUE(is_done(small, 39));
  EXPECT_FALSE(is_done(small, 40));
  EXPECT_TRUE(is_done(large, 24));
  EXPECT_FALSE(is_done(large, 25));
}

TEST(FewProducts, CountEveryVector) {
  EXPECT_TRUE(is_done(grid(160), 6, 4));
  EXPECT_FALSE(is_done(grid(160), 7, 4));
}

TEST(FewProducts, AreNotThoseOfWhoSaysNoNumber) { EXPECT_FALSE(is_done(grid(10), 0)); }
}  // namespace
}  // namespace sparsecast::planning

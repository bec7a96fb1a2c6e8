#include "base/curve.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Curve, IsAPowerLawBetweenItsPointsAndLevelBeyond) {
  const Curve curve{"read_bandwidth", 1, {1e3, 1e5}, {10, 1000}};
  ASSERT_TRUE(base::usable(curve));
  EXPECT_DOUBLE_EQ(base::value_at(curve, 1e3), 10);
  EXPECT_NEAR(base::value_at(curve, 1e4), 100, 1e-9);
  EXPECT_DOUBLE_EQ(base::value_at(curve, 1), 10);
  EXPECT_DOUBLE_EQ(base::value_at(curve, 1e9), 1000);
}

TEST(Curve, FromAFileMayBeUnusable) {
  EXPECT_FALSE(base::usable({"a", 1, {}, {}}));
  EXPECT_FALSE(base::usable({"a", 1, {1, 2}, {1}}));
  EXPECT_FALSE(base::usable({"a", 1, {2, 1}, {1, 1}}));
  EXPECT_FALSE(base::usable({"a", 1, {1, 2}, {1, 0}}));
  EXPECT_FALSE(base::usable({"a", 1, {0, 2}, {1, 1}}));
}

}  // namespace
}  // namespace sparsecast

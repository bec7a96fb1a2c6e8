
#include <gtest/gtest.h>

#include "base/median.hpp"

namespace sparsecast {
namespace {

TEST(Median, IsTheMiddleOfAnOddNumber) { EXPECT_EQ(base::median({5, 1, 9}), 5); }
TEST(Median, IsTheMeanOfTheTwoInTheMiddle) { EXPECT_EQ(base::median({4, 1, 9, 2}), 3); }
TEST(Median, OfNoneIsZero) { EXPECT_EQ(base::median({}), 0); }

}  // namespace
}  // namespace sparsecast

// What was given back a moment ago is not touched again, what is old or more than that is.
#include "calibration/conversion/memory_at_hand.hpp"

#include <gtest/gtest.h>

namespace sparsecast::calibration {
namespace {
constexpr std::size_t some = 1 << 20;

TEST(MemoryAtHand, TouchesWhatNobodyGaveBack) {
  MemoryAtHand memory;
  EXPECT_EQ(memory.want(some, 100), some);
  EXPECT_EQ(memory.want(some, 100), some);  // the first is still in use
}

TEST(MemoryAtHand, TakesWhatWasGivenBackAMomentAgo) {
  MemoryAtHand memory;
  memory.want(2 * some, 100);
  memory.give_back(101);
  EXPECT_EQ(memory.want(some, 101.5), 0U);
  EXPECT_EQ(memory.want(some, 101.5), 0U);
  EXPECT_EQ(memory.want(some, 101.5), some);  // both were taken
  memory.give_back(102);
  EXPECT_EQ(memory.want(3 * some, 102), 0U);
}

TEST(MemoryAtHand, TouchesWhereLessIsAtHand) {
  MemoryAtHand memory;
  memory.want(some, 100);
  memory.give_back(100);
  EXPECT_EQ(memory.want(2 * some, 100), 2 * some);
}

TEST(MemoryAtHand, ForgetsWhatTheMachineMayHaveLost) {
  MemoryAtHand memory;
  memory.want(some, 100);
  memory.give_back(100);
  EXPECT_EQ(memory.want(some, 103), some);
  memory.give_back(104);
  memory.want(some, 107);  // the first is old by then
  memory.give_back(107);
  EXPECT_EQ(memory.want(2 * some, 107), 2 * some);
}

TEST(MemoryAtHand, WantsNothingForNothing) {
  MemoryAtHand memory;
  EXPECT_EQ(memory.want(0, 1), 0U);
}
}  // namespace
}  // namespace sparsecast::calibration

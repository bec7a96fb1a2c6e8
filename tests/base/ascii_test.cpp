#include "base/page/ascii.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Ascii, KeepsColumnsInLine) {
  EXPECT_EQ(base::to_ascii("12.3 µs – 4 × 5, ‘Björck’ … ±2 ²"), "12.3 us - 4 x 5, 'Bjorck' ... +-2 2");
  EXPECT_EQ(base::to_ascii("┌─┐│█▌▏└┘"), "+-+|##-++");
  EXPECT_EQ(base::to_ascii("⠀⠁⣿"), " .@");
  EXPECT_EQ(base::to_ascii("漢\xff\xc3"), "???");
  EXPECT_EQ(base::to_ascii("plain\n"), "plain\n");
}

}  // namespace
}  // namespace sparsecast

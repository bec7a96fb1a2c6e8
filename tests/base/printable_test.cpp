#include "base/guard/printable.hpp"

#include <gtest/gtest.h>

#include <sparsecast/error.hpp>

namespace sparsecast::base {
namespace {

TEST(Messages, AreOneBoundedLineThatNoTerminalObeys) {
  EXPECT_EQ(printable("a\nb\t\x1b[31m\x7f\r"), "a\\nb\\t\\x1b[31m\\x7f\\r");
  EXPECT_EQ(printable("µ € 𝄞 \xff \xc3 \xed\xa0\x80"), "µ € 𝄞 \\xff \\xc3 \\xed\\xa0\\x80");
  EXPECT_EQ(printable("\xc2\x9b"), "\\xc2\\x9b") << "a control character of its own";
  EXPECT_EQ(printable("\xe2\x80\xae"), "\\xe2\\x80\\xae") << "turns the direction of writing";
  EXPECT_EQ(printable("0123456789", 9), "0123 … 89");
  EXPECT_EQ(printable("ééééééééééé", 9), "éééé … éé");
  EXPECT_EQ(printable_lines("a\n\x1b[1;31mred\x1b[0m\x1b]0;title\x07"), "a\n\x1b[1;31mred\x1b[0m\\x1b]0;title\\x07");
  EXPECT_EQ(printable_lines("\x1b[8mhidden\x1b[0m", false), "\\x1b[8mhidden\\x1b[0m") << "no colour is ours there";
  const Error long_one(ErrorCode::bad_input, std::string(5000, 'r'), {std::string(5000, 'f'), 7, 8}, "do this");
  const std::string line = long_one.what();
  EXPECT_LE(line.size(), 390U);
  EXPECT_NE(line.find(":7:8: rrr"), std::string::npos);
  EXPECT_TRUE(line.ends_with("; do this"));
  EXPECT_EQ(long_one.reason().size(), 5000U) << "for programs it is whole";
}

}  // namespace
}  // namespace sparsecast::base

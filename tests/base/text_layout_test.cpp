#include "base/page/text_layout.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Layout, ColumnsAreWhatTheEyeSees) {
  EXPECT_EQ(base::columns("12.3 µs – ±"), 11U);
  EXPECT_EQ(base::columns("\x1b[1mbold\x1b[0m"), 4U);
  EXPECT_EQ(base::columns(""), 0U);
}

TEST(Layout, FoldsAtBlanksAndBelowTheLastColumnOfWords) {
  EXPECT_EQ(base::folded("one two three four five", 20), "one two three four\nfive");
  EXPECT_EQ(base::folded("  name      one two three four", 24), "  name      one two\n            three four");
  EXPECT_EQ(base::folded("short\n\n  lines stay\n", 20), "short\n\n  lines stay\n");
  EXPECT_EQ(base::folded("a /path/that/is/longer/than/the/page b", 20), "a\n/path/that/is/longer/than/the/page\nb");
}

TEST(Layout, ColourIsThereOnlyWhereThePageHasIt) {
  EXPECT_EQ(base::bold("x", {}), "x");
  EXPECT_EQ(base::bold("x", {80, true}), "\x1b[1mx\x1b[0m");
}

}  // namespace
}  // namespace sparsecast

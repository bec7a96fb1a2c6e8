#include "base/text.hpp"

#include <gtest/gtest.h>

namespace sparsecast {
namespace {

TEST(Text, ThreeSignificantDigitsWithUnit) {
  EXPECT_EQ(base::format_seconds(1.2345e-5), "12.3 µs");
  EXPECT_EQ(base::format_seconds(0.99999e-3), "1.00 ms");
  EXPECT_EQ(base::format_seconds(0), "0.00 ns");
  EXPECT_EQ(base::format_bytes(999), "999 B");
  EXPECT_EQ(base::format_bytes(1.5e9), "1.50 GB");
}

TEST(Text, CountsAreGroupedByThousands) {
  EXPECT_EQ(base::format_count(4644230), "4,644,230");
  EXPECT_EQ(base::format_count(-100), "-100");
  EXPECT_EQ(base::format_count(1000), "1,000");
}

TEST(Text, SplitKeepsEmptyFields) {
  const auto parts = base::split("a\t\tb", '\t');
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_EQ(parts[1], "");
}

}  // namespace
}  // namespace sparsecast

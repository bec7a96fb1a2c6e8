
#include <gtest/gtest.h>

#include <cmath>

#include "base/machine/fork_join.hpp"

namespace sparsecast {
namespace {

TEST(ForkJoin, OneThreadNeedsNone) {
  EXPECT_EQ(base::fork_join_seconds(1), 0);
  EXPECT_EQ(base::fork_join_seconds(0), 0);
}

TEST(ForkJoin, IsATimeWhateverTheNumberOfSeries) {
  for (const int series : {-1, 0, 1, 4}) {
    const double seconds = base::fork_join_seconds(2, series);
    EXPECT_TRUE(std::isfinite(seconds));
    EXPECT_GT(seconds, 0) << "the regions were left out";
  }
}

}  // namespace
}  // namespace sparsecast

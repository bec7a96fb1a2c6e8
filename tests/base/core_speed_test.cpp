
#include <gtest/gtest.h>

#include <cmath>

#include "base/machine/core_speed.hpp"

namespace sparsecast {
namespace {

TEST(CoreSpeed, IsATimeWhateverTheNumberOfChains) {
  for (const int chains : {-1, 0, 1, 5}) {
    const double step = base::core_step_seconds(chains);
    EXPECT_TRUE(std::isfinite(step));
    EXPECT_GT(step, 0) << "the chain was left out";
  }
}

}  // namespace
}  // namespace sparsecast

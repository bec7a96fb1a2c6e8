#include "cluster/features/gathering.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {
TEST(NeighbourExchange, OfEqualSharesAllButOneAreWaitedFor) {
  EXPECT_EQ(longest_exchange({}), 0);
  EXPECT_EQ(longest_exchange(std::vector<double>{5}), 0);
  for (const std::size_t size : {2, 3, 4, 7, 16, 64})
    EXPECT_EQ(longest_exchange(std::vector<double>(size, 3.0)), 3.0 * static_cast<double>(size - 1)) << size;
}

TEST(NeighbourExchange, ALargeShareIsInEveryStepsWay) {
  // Of 16 ranks each hands on eight times, of 15 each hands on fourteen times.
  for (const std::size_t owner : {0, 5, 10}) {
    std::vector<double> even(16, 0.0), odd(15, 0.0);
    even[owner] = odd[owner] = 1000;
    EXPECT_EQ(longest_exchange(even), 8000) << owner;
    EXPECT_EQ(longest_exchange(odd), 14000) << owner;
  }
}
}  // namespace
}  // namespace sparsecast::cluster

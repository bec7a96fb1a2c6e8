#include "cluster/features/reuse.hpp"

#include <gtest/gtest.h>

namespace sparsecast::cluster {
namespace {
TEST(CacheFriendliness, CountsWhatAnLruCacheMisses) {
  // One row that reads lines 0 1 2 0 1 2: with room for two lines every read misses (LRU's worst case) …
  std::vector<LocalEntry> entries;
  for (std::int32_t k = 0; k < 3; ++k) entries.push_back({0, 8 * k, 1});
  for (std::int32_t k = 0; k < 3; ++k) entries.push_back({1, 8 * k, 1});
  const CsrBlock block = csr_block(2, 24, entries);
  EXPECT_EQ(x_misses(block, 2), 6);
  // … with room for three none does, since the first traversal brought them in.
  EXPECT_EQ(x_misses(block, 3), 0);
}
}  // namespace
}  // namespace sparsecast::cluster

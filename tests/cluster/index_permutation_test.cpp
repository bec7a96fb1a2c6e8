#include "cluster/scheme/index_permutation.hpp"

#include <gtest/gtest.h>

#include <set>

namespace sparsecast::cluster {
namespace {
TEST(IndexPermutation, IsOneToOneWithItsInverse) {
  for (const std::int64_t size : {1, 2, 3, 5, 16, 17, 1000, 4097}) {
    const IndexPermutation permute(size, 3);
    std::set<std::int64_t> seen;
    for (std::int64_t i = 0; i < size; ++i) {
      const std::int64_t at = permute(i);
      EXPECT_TRUE(at >= 0 && at < size);
      EXPECT_EQ(permute.inverse(at), i);
      seen.insert(at);
    }
    EXPECT_EQ(static_cast<std::int64_t>(seen.size()), size);
  }
}

TEST(IndexPermutation, SpreadsABandOverAllBlocks) {
  // Neighbouring rows should not stay neighbours: of 1000 pairs, about one in ten falls into the same tenth.
  const IndexPermutation permute(10000, 1);
  int together = 0;
  for (std::int64_t i = 0; i < 1000; ++i) together += permute(i) / 1000 == permute(i + 1) / 1000 ? 1 : 0;
  EXPECT_GT(together, 60);
  EXPECT_LT(together, 140);
  EXPECT_NE(IndexPermutation(10000, 2)(5), permute(5));
}
}  // namespace
}  // namespace sparsecast::cluster

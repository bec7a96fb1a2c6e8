#include "cluster/features/block_features.hpp"

#include <gtest/gtest.h>

#include <random>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(BlockFeatures, CountChangesOfRowLength) {
  const BlockFeatures f = block_features(csr_block(3, 3, mtx3), {});
  EXPECT_EQ(f.rows, 3);
  EXPECT_EQ(f.nonzeros, 5);
  EXPECT_EQ(f.length_changes, 3);  // 2, 0, 3
  EXPECT_EQ(f.length_bits, 0);     // each length is followed by the only one that ever follows it
  EXPECT_EQ(f.chained_nonzeros, 0);
  std::vector<LocalEntry> entries;
  for (std::int32_t k = 0; k < 20; ++k) entries.push_back({1, k, 1});
  EXPECT_EQ(block_features(csr_block(2, 20, entries), {}).chained_nonzeros, 20 - chain_free);
}

TEST(BlockFeatures, CountTheInformationInRowLengths) {
  // Four lengths in turn say nothing after the first round; two lengths at random say a bit a row.
  std::vector<LocalEntry> in_turn, at_random;
  std::mt19937 random(7);
  constexpr std::int32_t rows = 4000;
  for (std::int32_t r = 0; r < rows; ++r) {
    for (std::int32_t k = 0; k <= r % 4; ++k) in_turn.push_back({r, k, 1});
    for (std::int32_t k = 0, length = 1 + static_cast<std::int32_t>(random() % 2); k < length; ++k)
      at_random.push_back({r, k, 1});
  }
  EXPECT_EQ(block_features(csr_block(rows, 4, in_turn), {}).length_bits, 0);
  EXPECT_NEAR(block_features(csr_block(rows, 4, at_random), {}).length_bits, 4000, 40);
}
}  // namespace
}  // namespace sparsecast::cluster

#include "cluster/scheme/local_block.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <sparsecast/error.hpp>

#include "made_up.hpp"

namespace sparsecast::cluster {
namespace {
TEST(LocalBlock, MultipliesInBothFormats) {
  const std::vector<double> x{1, 10, 100};
  for (const LocalFormat format : all_formats()) {
    const LocalBlock block(csr_block(3, 3, mtx3), format);
    std::vector<double> y{7, 7, 7};
    block.apply(x, y, false);
    EXPECT_EQ(y, (std::vector<double>{201, 0, 43}));
    block.apply(x, y, true);
    EXPECT_EQ(y, (std::vector<double>{402, 0, 86}));
    EXPECT_EQ(block.nonzeros(), 5);
  }
}

TEST(LocalBlock, SortsColumnsWithinRows) {
  const CsrBlock block = csr_block(3, 3, mtx3);
  EXPECT_EQ((std::vector<std::int32_t>(block.column_indices.begin(), block.column_indices.end())),
            (std::vector<std::int32_t>{0, 2, 0, 0, 1}));
}

TEST(LocalBlock, MayBeEmpty) {
  const LocalBlock block(csr_block(0, 0, {}), LocalFormat::coo);
  std::vector<double> none;
  block.apply(none, none, false);
  EXPECT_EQ(block.nonzeros(), 0);
}

TEST(LocalBlock, RefusesWhat32BitsCannotCount) { EXPECT_THROW(csr_block(std::int64_t{1} << 31, 1, {}), Error); }

TEST(LocalBlock, FilledRowsAloneAreAddedAndCounted) {
  const std::vector<LocalEntry> entries{{1, 0, 2}, {4, 1, 3}, {4, 0, 5}};
  const CsrBlock all = csr_block(6, 2, entries);
  CsrBlock filled = all;
  list_filled_rows(filled);
  EXPECT_EQ(filled.filled_rows, (Array<std::int32_t>{1, 4}));
  const std::vector<double> x{10, 100};
  for (const CsrBlock* const block : {&all, static_cast<const CsrBlock*>(&filled)})
    for (const bool add : {false, true}) {
      if (block == &filled && !add) continue;  // such a block is only ever added
      std::vector<double> y(6, 1.0);
      LocalBlock(*block, LocalFormat::csr).apply(x, y, add);
      const double base = add ? 1 : 0;
      EXPECT_EQ(y, (std::vector<double>{base, base + 20, base, base, base + 350, base})) << add;
    }
  EXPECT_EQ(block_features(all, {}).rows, 6);
  EXPECT_EQ(block_features(filled, {}).rows, 2);
  EXPECT_EQ(block_features(filled, {}).listed_rows, 2);
  EXPECT_EQ(block_features(all, {}).listed_rows, 0);
  EXPECT_EQ(block_features(filled, {}).length_changes, 2);  // 1, 2
}

TEST(LocalBlock, HasTheSameProductWithAnyNumberOfThreads) {
  // Rows of 0 to 6 entries, and one that outweighs all others.
  std::vector<LocalEntry> entries;
  for (std::int32_t r = 0; r < 40; ++r)
    for (std::int32_t k = 0; k < (r == 17 ? 50 : r % 7); ++k) entries.push_back({r, (3 * r + 5 * k) % 50, 0.5 + r + k});
  std::vector<double> x(50);
  std::iota(x.begin(), x.end(), 1.0);
  for (const bool listed : {false, true})
    for (const LocalFormat format : all_formats())
      for (const int threads : {2, 3, 8, 64}) {
        CsrBlock block = csr_block(40, 50, entries);
        if (listed) list_filled_rows(block);
        std::vector<double> one(40, 1.0), many(40, 1.0);
        LocalBlock(block, format).apply(x, one, listed);
        LocalBlock(block, format, threads).apply(x, many, listed);
        EXPECT_EQ(many, one) << to_string(format) << " on " << threads << ", listed " << listed;
      }
  std::vector<double> none;
  LocalBlock(csr_block(0, 0, {}), LocalFormat::csr, 4).apply(none, none, false);
}
}  // namespace
}  // namespace sparsecast::cluster

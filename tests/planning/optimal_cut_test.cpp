#include "planning/search/optimal_cut.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace sparsecast {
namespace {

// A table that is written out: E(i, j) with i, j from 1.
class Table final : public planning::BlockTimes {
 public:
  explicit Table(std::int64_t strips) : strips_(strips), seconds_(static_cast<std::size_t>(strips * strips), 0.0) {}
  double& operator()(std::int64_t i, std::int64_t j) {
    return seconds_[static_cast<std::size_t>((i - 1) * strips_ + j - 1)];
  }
  [[nodiscard]] std::int64_t strips() const override { return strips_; }
  void column(std::int64_t j, std::span<double> seconds, std::span<std::int32_t> kernels) override {
    EXPECT_EQ(++asked_, j) << "columns are asked for once, in order";
    ASSERT_EQ(seconds.size(), static_cast<std::size_t>(j));
    for (std::int64_t i = 1; i <= j; ++i) {
      seconds[static_cast<std::size_t>(i - 1)] = (*this)(i, j);
      kernels[static_cast<std::size_t>(i - 1)] = static_cast<std::int32_t>(100 * i + j);  // tells which block it was
    }
  }
  void again() { asked_ = 0; }

 private:
  std::int64_t strips_, asked_ = 0;
  std::vector<double> seconds_;
};

struct Best {
  double seconds = 1e300;
  int blocks = 0;
};

// All 2^(N−1) cuts: bit k of `mask` is a border behind strip k + 1.
Best exhaustive(Table& table, int most_blocks, bool several) {
  const std::int64_t N = table.strips();
  Best best;
  for (std::uint32_t mask = 0; mask < (1U << (N - 1)); ++mask) {
    double seconds = 0;
    int blocks = 0;
    std::int64_t first = 1;
    for (std::int64_t strip = 1; strip <= N; ++strip) {
      if (strip < N && (mask >> (strip - 1) & 1U) == 0) continue;
      seconds += table(first, strip);
      ++blocks;
      first = strip + 1;
    }
    if (blocks > most_blocks || (several && blocks < 2)) continue;
    if (seconds < best.seconds || (seconds == best.seconds && blocks < best.blocks)) best = {seconds, blocks};
  }
  return best;
}

void expect_cut(Table& table, const planning::Cut& cut, const Best& best) {
  ASSERT_FALSE(cut.blocks.empty());
  EXPECT_EQ(cut.seconds, best.seconds);
  EXPECT_EQ(static_cast<int>(cut.blocks.size()), best.blocks) << "ties keep fewer blocks";
  std::int64_t next = 1;
  for (const planning::CutBlock& block : cut.blocks) {
    EXPECT_EQ(block.first, next);
    EXPECT_EQ(block.seconds, table(block.first, block.last));
    EXPECT_EQ(block.kernel, 100 * block.first + block.last);
    next = block.last + 1;
  }
  EXPECT_EQ(next, table.strips() + 1);
}

// Whole numbers, so that sums are exact and ties are frequent.
class RandomTables : public testing::TestWithParam<int> {};

TEST_P(RandomTables, AreCutAsByExhaustiveSearch) {
  const int N = GetParam();
  std::mt19937 random(static_cast<unsigned>(N));
  for (int trial = 0; trial < (N <= 8 ? 60 : 10); ++trial) {
    Table table(N);
    const int most = trial % 2 == 0 ? 4 : 40;  // few different times: many ties
    for (int i = 1; i <= N; ++i)
      for (int j = i; j <= N; ++j)
        table(i, j) = static_cast<double>(1 + random() % static_cast<unsigned>(most)) + (trial % 3 == 0 ? j - i : 0);
    const planning::CutSearch search = planning::optimal_cut(table);
    expect_cut(table, search.best, exhaustive(table, N, false));
    if (N > 1) {
      expect_cut(table, search.several, exhaustive(table, N, true));
    } else {
      EXPECT_TRUE(search.several.blocks.empty());
    }
    for (const int blocks : {1, 2, 3, N}) {
      table.again();
      const planning::CutSearch bounded = planning::optimal_cut(table, blocks);
      expect_cut(table, bounded.best, exhaustive(table, blocks, false));
      if (blocks > 1 && N > 1) expect_cut(table, bounded.several, exhaustive(table, blocks, true));
    }
  }
}
INSTANTIATE_TEST_SUITE_P(Strips, RandomTables, testing::Range(1, 13));

// The example of the paper's figures 9, 10 and 12: four strips, eight strategies.
TEST(OptimalCut, FindsThePapersCutOfFourStrips) {
  Table table(4);
  for (int i = 1; i <= 4; ++i)
    for (int j = i; j <= 4; ++j) table(i, j) = 10 * (j - i + 1);
  table(2, 3) = 12;  // strips 2 and 3 go well together
  const planning::CutSearch search = planning::optimal_cut(table);
  ASSERT_EQ(search.best.blocks.size(), 3U);
  EXPECT_EQ(search.best.blocks[1].first, 2);
  EXPECT_EQ(search.best.blocks[1].last, 3);
  EXPECT_EQ(search.best.seconds, 32);
}

TEST(OptimalCut, KeepsTheMatrixWholeWhereACutTakesAsLong) {
  Table table(12);
  for (int i = 1; i <= 12; ++i)
    for (int j = i; j <= 12; ++j) table(i, j) = j - i + 1;
  EXPECT_EQ(planning::optimal_cut(table).best.blocks.size(), 1U);
}

}  // namespace
}  // namespace sparsecast

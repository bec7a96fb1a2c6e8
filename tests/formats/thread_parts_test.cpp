#include "formats/parts/thread_parts.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace sparsecast::formats {
namespace {

// 6,400 rows: the first half of 3 non-zeros, the second of 1.
Structure heavy_then_light() {
  Structure s;
  s.rows = s.cols = 6400;
  s.nonzeros = 3200 * 3 + 3200;
  s.row_max = 3;
  s.row_histogram = {{1, 3200}, {3, 3200}};
  for (int b = 0; b < 64; ++b) s.block_nonzeros.push_back(b < 32 ? 300 : 100);
  return s;
}

TEST(ThreadParts, ByNonzerosTheRowsDiffer) {
  const auto parts = parts_in_order(heavy_then_light(), by_nonzeros, 2);
  // Half of 12,800 non-zeros are 2,133 rows of 3; the other part has the remaining 4,267.
  EXPECT_NEAR(parts[0].nonzeros, 1, 1e-9);
  EXPECT_NEAR(parts[1].rows, 2 * (6400 - 6400.0 / 3) / 6400, 1e-9);
}

TEST(ThreadParts, ByRowsTheNonzerosDiffer) {
  const auto parts = parts_in_order(heavy_then_light(), by_rows, 2);
  EXPECT_NEAR(parts[0].nonzeros, 2 * 9600.0 / 12800, 1e-9);
  EXPECT_NEAR(parts[1].rows, 1, 1e-9);
}

TEST(ThreadParts, TheMergePathWeighsBoth) {
  const auto parts = parts_in_order(heavy_then_light(), by_merge_path, 2);
  // 19,200 items; 9,600 of them are 2,400 rows of 3.
  EXPECT_NEAR(parts[0].nonzeros, 2 * 7200.0 / 12800, 1e-9);
  EXPECT_NEAR(parts[1].rows, 2 * 4000.0 / 6400, 1e-9);
}

TEST(ThreadParts, OneRowIsOneThreads) {
  Structure s = heavy_then_light();
  s.row_max = 6400;
  EXPECT_NEAR(parts_in_order(s, by_nonzeros, 4)[0].nonzeros, 2, 1e-9) << "half of all beside a mean of a quarter";
  EXPECT_NEAR(parts_in_order(s, by_entries, 4)[0].nonzeros, 1, 1e-9) << "cut within the row";
}

TEST(ThreadParts, OneThreadIsEven) {
  EXPECT_EQ(parts_in_order(heavy_then_light(), by_nonzeros, 1)[1].rows, 1);
  EXPECT_EQ(parts_longest_first(heavy_then_light(), 1024, 1)[1].rows, 1);
  EXPECT_EQ(parts_of_slices(heavy_then_light(), 8, 12800, 1)[1].rows, 1);
  EXPECT_EQ(parts_in_order(Structure{}, by_nonzeros, 8)[0].nonzeros, 1) << "nor does an empty Structure tell";
}

TEST(ThreadParts, JadsLoopsAreWhereTheLongRowsAre) {
  // 1,024 rows of 20 and 20,480 of 1: the first part is one block of 20 diagonals, the second 20 blocks of one.
  Structure s;
  s.rows = s.cols = 21504;
  s.nonzeros = 40960;
  s.row_max = 20;
  s.row_histogram = {{1, 20480}, {20, 1024}};
  s.block_nonzeros.assign(64, 640);
  const auto parts = parts_longest_first(s, 1024, 2);
  EXPECT_NEAR(parts[0].rows, 2 * 1024.0 / 21504, 1e-9);
  EXPECT_NEAR(parts[0].calls, 1, 0.06);
  EXPECT_NEAR(parts[1].rows, 2 * 20480.0 / 21504, 1e-9);
}

TEST(ThreadParts, RowsSideBySideShareALoopThatTheirPartsBeginEach) {
  // Two rows of 1,000 in the first block; each thread has one of them and goes through 1,000 diagonals.
  Structure s;
  s.rows = s.cols = 1002;
  s.nonzeros = 3000;
  s.row_max = 1000;
  s.row_histogram = {{1, 1000}, {1000, 2}};
  s.block_nonzeros.assign(64, 3000 / 64);
  EXPECT_NEAR(parts_longest_first(s, 1024, 2)[0].calls, 2, 0.01) << "as many as the whole product in one part";
}

TEST(ThreadParts, OneSliceIsOneThreads) {
  Structure s = heavy_then_light();
  s.row_max = 1000;
  EXPECT_NEAR(parts_of_slices(s, 8, 10000, 2)[0].nonzeros, 8 * 1000 / 5000.0, 1e-9);
}

TEST(SharedLines, OnlyWhereRowsOfSeveralThreadsMix) {
  Structure s = heavy_then_light();
  EXPECT_EQ(lines_shared_longest_first(s, 1), 0);
  // The border lies two thirds into the rows of 3: one line in so many has a row of 1 beside them.
  const double one_half = 1 - 2 * std::pow(0.5, 8);
  EXPECT_NEAR(lines_shared_longest_first(s, 2), 800 * one_half * 2 / 3, 1e-9);
  s.row_histogram = {{2, 6400}};
  EXPECT_EQ(lines_shared_longest_first(s, 2), 0) << "rows of one length keep their order";
}

}  // namespace
}  // namespace sparsecast::formats

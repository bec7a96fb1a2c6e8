#include "cluster/scheme/scheme.hpp"

#include <gtest/gtest.h>

#include <map>
#include <sparsecast/error.hpp>
#include <string>
#include <utility>

namespace sparsecast::cluster {
namespace {
TEST(Scheme, OnlyTheGridNeedsACountWithTwoFactors) {
  for (const int count : {1, 4, 6, 8, 9, 144, 169, 200, 225, 256})
    EXPECT_TRUE(admissible(Scheme::two_d_uniform, count)) << count;
  for (const int count : {-4, 0, 2, 3, 5, 7, 127}) EXPECT_FALSE(admissible(Scheme::two_d_uniform, count)) << count;
  EXPECT_TRUE(admissible(Scheme::local_rows, 7));
  EXPECT_EQ(grid_side(225), 15);
  try {
    require_admissible(Scheme::two_d_uniform, 3);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::usage);
    EXPECT_NE(std::string(error.what()).find("use 1 or 4 processes"), std::string::npos);
  }
}

TEST(Grid, IsAsNearToASquareAsTheCountAllows) {
  const std::map<int, std::pair<int, int>> shapes{{1, {1, 1}}, {4, {2, 2}},  {6, {2, 3}},     {8, {2, 4}},
                                                  {9, {3, 3}}, {24, {4, 6}}, {144, {12, 12}}, {22, {2, 11}}};
  for (const auto& [count, shape] : shapes) {
    EXPECT_EQ(grid_of(count).rows, shape.first) << count;
    EXPECT_EQ(grid_of(count).columns, shape.second) << count;
  }
  EXPECT_EQ(grid_of(13).rows, 0);
}

TEST(Grid, CutsRowsAndColumnsIntoWholePieces) {
  const Grid grid = grid_of(24);  // 4 × 6
  EXPECT_EQ(grid.pieces(), 12);
  EXPECT_EQ(grid.piece_length(100), 9);  // 12 pieces of 9 hold 100 rows
  EXPECT_EQ(grid.block_rows(100), 27);
  EXPECT_EQ(grid.block_columns(100), 18);
  EXPECT_EQ(grid_of(9).block_rows(100), 34);  // the paper's ⌈n / p⌉
  EXPECT_EQ(grid_of(4).piece_length(0), 1);
}
}  // namespace
}  // namespace sparsecast::cluster

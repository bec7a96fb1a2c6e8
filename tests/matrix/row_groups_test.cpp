// Groups of eight rows (matrix/structure/rows.cpp), by hand.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/structure.hpp>

#include "matrix/structure/structure_json.hpp"

namespace sparsecast {
namespace {

// Rows of the lengths given, columns from 0.
Matrix rows_as_long_as(const std::vector<int>& lengths, int cols) {
  Csr<std::int32_t, std::int32_t> csr;
  csr.rows = static_cast<std::int64_t>(lengths.size());
  csr.cols = cols;
  csr.row_pointers.push_back(0);
  for (const int length : lengths) {
    for (int column = 0; column < length; ++column) csr.column_indices.push_back(column);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  return {std::move(csr), "lengths"};
}

TEST(RowGroups, OfEightRowsByHand) {
  // Three groups and a rest of two rows: alike, mixed, and one of more than 128 non-zeros.
  std::vector<int> lengths(8, 3);
  for (const int length : {1, 2, 3, 4, 5, 6, 9, 20}) lengths.push_back(length);
  for (int r = 0; r < 8; ++r) lengths.push_back(17);
  lengths.insert(lengths.end(), {50, 50});
  const RowGroups g = analyze(rows_as_long_as(lengths, 60)).row_groups;
  EXPECT_EQ(g.groups, 3);
  EXPECT_EQ(g.shortest, 3 + 1 + 17);
  EXPECT_EQ(g.longest, 3 + 20 + 17);
  EXPECT_EQ(g.turns, 2 + 16);
  EXPECT_EQ(g.short_groups, 2);
  EXPECT_EQ(g.more_vectors, 2) << "20 takes three vectors";
  EXPECT_EQ(g.more_rows, 1 + 2) << "9 and 20";
  EXPECT_EQ(g.rest_nonzeros, 8 * 1);
  // HYB's width is 0: fewer than 4096 rows.
  EXPECT_EQ(g.cut_shortest, 0);
  EXPECT_EQ(g.cut_longest, 0);
}

TEST(RowGroups, AreCutAtTheWidthOfHyb) {
  std::vector<int> lengths(12000, 2);
  for (std::size_t r = 0; r < lengths.size(); r += 8) lengths[r] = 9;
  lengths[16] = 1;
  const Structure s = analyze(rows_as_long_as(lengths, 9), 2);
  ASSERT_EQ(hyb_split(s).width, 2);
  const RowGroups& g = s.row_groups;
  EXPECT_EQ(g.longest, 1499 * 9 + 2);
  EXPECT_EQ(g.cut_longest, 1500 * 2);
  EXPECT_EQ(g.cut_shortest, 1499 * 2 + 1);
  EXPECT_EQ(g.cut_turns, 2) << "down to 1 and back";
  EXPECT_LT(g.mispredicted, 0.01);
  const RowGroups again = matrix::structure_from_json(matrix::structure_to_json(s)).row_groups;
  EXPECT_EQ(again.cut_turns, g.cut_turns);
  EXPECT_EQ(again.more_rows, g.more_rows);
  EXPECT_EQ(again.mispredicted, g.mispredicted);
  EXPECT_EQ(analyze(rows_as_long_as(lengths, 9), 1).row_groups.turns, g.turns) << "any number of threads";
}

TEST(RowGroups, WhoseRowsReadXOneFurtherOnThanTheRowBefore) {
  // A band: every row has its entries one column further on.
  const auto band = [](std::int64_t rows, std::int64_t apart) {
    Csr<std::int32_t, std::int32_t> csr;
    csr.rows = rows;
    csr.cols = rows * apart + 40;
    csr.row_pointers.push_back(0);
    for (std::int64_t row = 0; row < rows; ++row) {
      for (const std::int64_t column : {row * apart, row * apart + 5, row * apart + 30})
        csr.column_indices.push_back(static_cast<std::int32_t>(column));
      csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
    }
    csr.values.assign(csr.column_indices.size(), 1.0);
    return Matrix(std::move(csr), "band");
  };
  EXPECT_EQ(analyze(band(64, 1)).row_groups.in_runs, 1);
  EXPECT_EQ(analyze(band(64, 2)).row_groups.in_runs, 0);
  EXPECT_EQ(analyze(band(100'000, 1)).row_groups.in_runs, 1) << "of a sample";
  // A grid of 48 points a line: two groups of six hold a border.
  const Structure grid = analyze(generate({.kind = "poisson2d", .parameters = {.size = 48}}));
  EXPECT_GT(grid.row_groups.in_runs, 0.6);
  EXPECT_LT(grid.row_groups.in_runs, 0.8);
  const Structure again = matrix::structure_from_json(matrix::structure_to_json(grid));
  EXPECT_EQ(again.row_groups.in_runs, grid.row_groups.in_runs);
}

}  // namespace
}  // namespace sparsecast

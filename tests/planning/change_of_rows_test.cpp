// Where the rows of a matrix change character, and rows as many times as a whole matrix has them.

#include "planning/search/change_of_rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <sparsecast/generate.hpp>

#include "planning/search/repeated_rows.hpp"

namespace sparsecast {
namespace {

constexpr std::int64_t strip_rows = 1024;

// Rows of the given lengths, columns evenly spread.
Matrix rows_of(const std::vector<std::int64_t>& lengths, std::int32_t cols = 4096) {
  Csr<std::int32_t, std::int32_t> csr{static_cast<std::int64_t>(lengths.size()), cols, {}, {}, {}};
  csr.row_pointers.push_back(0);
  for (const std::int64_t length : lengths) {
    for (std::int64_t k = 0; k < length; ++k)
      csr.column_indices.push_back(static_cast<std::int32_t>(k * (cols / std::max<std::int64_t>(1, length))));
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  return {std::move(csr), "rows"};
}

// So many strips of rows of each length.
std::vector<std::int64_t> stretches(const std::vector<std::pair<int, std::int64_t>>& parts) {
  std::vector<std::int64_t> lengths;
  for (const auto& [strips, length] : parts)
    lengths.insert(lengths.end(), static_cast<std::size_t>(strips * strip_rows), length);
  return lengths;
}

std::vector<std::int64_t> changes(const Matrix& matrix, int most = 4) {
  return planning::changes_of_rows(planning::sums_of_strips(matrix, strip_rows, 1), most);
}

using Borders = std::vector<std::int64_t>;

TEST(ChangesOfRows, StandWhereTheLengthsChange) {
  EXPECT_EQ(changes(rows_of(stretches({{20, 4}, {4, 40}}))), Borders{20});
  EXPECT_EQ(changes(rows_of(stretches({{10, 30}, {20, 4}, {4, 90}}))), (Borders{10, 30}));
}

TEST(ChangesOfRows, AreNoneWhereAllRowsAreAlike) {
  EXPECT_EQ(changes(rows_of(stretches({{20, 12}}))), Borders());
  EXPECT_EQ(changes(generate({"powerlaw", 0, 8, 20 * strip_rows, 20 * strip_rows, 3, {}})), Borders());
}

// A stretch of next to nothing is not worth a block, and few strips tell nothing.
TEST(ChangesOfRows, LeaveSmallThingsAlone) {
  EXPECT_EQ(changes(rows_of(stretches({{19, 40}, {1, 2}}))), Borders());
  EXPECT_EQ(changes(rows_of(stretches({{3, 5}, {4, 40}}))), Borders());
}

TEST(ChangesOfRows, AreAsManyAsAskedFor) {
  const Matrix three = rows_of(stretches({{10, 30}, {20, 4}, {4, 90}}));
  EXPECT_EQ(changes(three, 2).size(), 1U);
  EXPECT_EQ(changes(three, 1), Borders());
}

TEST(ChangesOfRows, TellWhetherAStretchIsRegular) {
  std::vector<std::int64_t> lengths = stretches({{10, 5}, {10, 1}});
  for (std::size_t row = 10 * strip_rows; row < lengths.size(); ++row)
    lengths[row] = static_cast<std::int64_t>(1 + row * row % 61);
  const auto regular = [](const Matrix& matrix) {
    const std::vector<planning::RowSums> strips = planning::sums_of_strips(matrix, strip_rows, 1);
    return planning::some_stretch_is_regular(strips, planning::changes_of_rows(strips, 4));
  };
  EXPECT_TRUE(regular(rows_of(lengths)));
  EXPECT_FALSE(regular(rows_of(stretches({{20, 12}})))) << "so are all rows";
  EXPECT_FALSE(regular(generate({"powerlaw", 0, 8, 20 * strip_rows, 20 * strip_rows, 3, {}})));
}

// With every row looked at, what analyze() says of the columns; the last strip has fewer rows.
TEST(SumsOfStrips, AddUpToWhatAnalyzeSees) {
  const Matrix matrix = generate({"banded", 0, 9, 6000, 0, 3, {.bandwidth = 40}});
  const Structure s = analyze(matrix, 1);
  for (const std::int64_t rows : {7, 1000, 1024, 6000, 9000}) {
    planning::RowSums whole;
    const std::vector<planning::RowSums> strips = planning::sums_of_strips(matrix, rows, 2);
    EXPECT_EQ(static_cast<std::int64_t>(strips.size()), (6000 + rows - 1) / rows);
    for (const planning::RowSums& strip : strips) whole.add(strip);
    EXPECT_EQ(whole.rows, 6000);
    EXPECT_EQ(whole.nonzeros, static_cast<double>(s.nonzeros));
    const double mean = whole.nonzeros / 6000;
    EXPECT_NEAR(std::sqrt(whole.squared_lengths / 6000 - mean * mean), s.row_std, 1e-9);
    const double off = rows == 7 ? 1e-9 : 0.1;  // strips of seven rows are looked at row by row
    EXPECT_NEAR(2 * whole.adjacent / whole.nonzeros / s.neighbours, 1, off) << rows;
    EXPECT_NEAR(whole.span / 6000 / s.bandwidth_scaled, 1, off) << rows;
  }
  EXPECT_TRUE(planning::sums_of_strips(Matrix(), 1024, 1).empty());
}

// Windows and groups are whole within a strip, so that two copies of the rows have twice of everything.
TEST(Repeated, IsWhatTheSameRowsTwiceOverCount) {
  std::vector<std::int64_t> lengths;
  for (std::int64_t row = 0; row < 4 * strip_rows; ++row) lengths.push_back(row * 7 % 23);
  const Structure one = analyze(rows_of(lengths), 1);
  lengths.insert(lengths.end(), lengths.begin(), lengths.end());
  const Structure two = analyze(rows_of(lengths), 1), same = planning::repeated(one, 2);
  EXPECT_EQ(same.rows, two.rows);
  EXPECT_EQ(same.nonzeros, two.nonzeros);
  EXPECT_EQ(same.empty_rows, two.empty_rows);
  EXPECT_EQ(same.row_max, two.row_max);
  ASSERT_EQ(same.row_histogram.size(), two.row_histogram.size());
  for (std::size_t i = 0; i < two.row_histogram.size(); ++i)
    EXPECT_EQ(same.row_histogram[i].rows, two.row_histogram[i].rows) << two.row_histogram[i].length;
  ASSERT_EQ(same.slices.size(), two.slices.size());
  for (std::size_t i = 0; i < two.slices.size(); ++i) EXPECT_EQ(same.slices[i].slots, two.slices[i].slots) << i;
  EXPECT_EQ(same.row_groups.groups, two.row_groups.groups);
  EXPECT_EQ(same.row_groups.shortest, two.row_groups.shortest);
  EXPECT_EQ(same.row_groups.longest, two.row_groups.longest);
  EXPECT_DOUBLE_EQ(same.row_mean, two.row_mean);
  EXPECT_EQ(same.symmetry.symmetric, 0);
}

}  // namespace
}  // namespace sparsecast

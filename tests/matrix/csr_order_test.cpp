// Which arrays are a canonical CSR matrix: whatever is wrong, and wherever, is seen.

#include "matrix/csr_order.hpp"

#include <gtest/gtest.h>

#include <random>

namespace sparsecast::matrix {
namespace {
template <class Offset, class Index>
struct Arrays {
  std::int64_t cols = 0;
  std::vector<Offset> row_pointers{0};
  std::vector<Index> columns;
  [[nodiscard]] CsrPattern<Offset, Index> pattern() const {
    return {std::ssize(row_pointers) - 1, cols, row_pointers, columns};
  }
  [[nodiscard]] bool in_order() const { return is_in_order(pattern()); }
};

// Row by row, as the definition has it.
template <class Offset, class Index>
bool by_definition(const Arrays<Offset, Index>& a) {
  for (std::size_t r = 0; r + 1 < a.row_pointers.size(); ++r) {
    if (a.row_pointers[r + 1] < a.row_pointers[r]) return false;
    for (auto k = a.row_pointers[r]; k < a.row_pointers[r + 1]; ++k) {
      const auto at = static_cast<std::size_t>(k);
      if (a.columns[at] < 0 || a.columns[at] >= a.cols) return false;
      if (k > a.row_pointers[r] && a.columns[at] <= a.columns[at - 1]) return false;
    }
  }
  return true;
}

// Rows of 0 to `most` entries, a third of them empty.
template <class Offset, class Index>
Arrays<Offset, Index> rows_of(std::int64_t rows, Index most, std::mt19937& random) {
  Arrays<Offset, Index> a{4 * most, {0}, {}};
  for (std::int64_t r = 0; r < rows; ++r) {
    const auto length = random() % 3 == 0 ? 0 : static_cast<Index>(random() % static_cast<unsigned>(most + 1));
    auto column = static_cast<Index>(random() % 3);
    for (Index k = 0; k < length; ++k, column += static_cast<Index>(1 + random() % 3)) a.columns.push_back(column);
    a.row_pointers.push_back(static_cast<Offset>(a.columns.size()));
  }
  return a;
}

template <class Offset, class Index>
void every_fault_is_seen() {
  std::mt19937 random(7);
  int wrong = 0, right = 0;
  for (int trial = 0; trial < 400; ++trial) {
    // Beyond the stretches that are looked at in one go, too.
    auto a = rows_of<Offset, Index>(1 + random() % (trial % 10 == 0 ? 4000 : 60), 1 + trial % 40, random);
    ASSERT_TRUE(a.in_order()) << trial;
    if (a.columns.empty()) continue;
    const std::size_t at = random() % a.columns.size();
    const Index before = a.columns[at];
    for (const Index other :
         {Index{-1}, static_cast<Index>(a.cols), std::numeric_limits<Index>::min(), std::numeric_limits<Index>::max(),
          static_cast<Index>(before + 1), static_cast<Index>(before > 0 ? before - 1 : 0), Index{0}}) {
      a.columns[at] = other;
      EXPECT_EQ(a.in_order(), by_definition(a)) << trial << ", column " << at << " is " << other;
      ++(a.in_order() ? right : wrong);
    }
    a.columns[at] = before;
    const std::size_t row = random() % a.row_pointers.size();
    if (row == 0 || row + 1 == a.row_pointers.size()) continue;  // those Matrix has looked at
    for (const std::int64_t other : {std::int64_t{-1}, std::int64_t{1} << 30, std::int64_t{a.row_pointers[row]} + 1}) {
      auto moved = a;
      moved.row_pointers[row] = static_cast<Offset>(other);
      const bool within = other >= 0 && other <= std::ssize(a.columns);
      EXPECT_EQ(moved.in_order(), within && by_definition(moved)) << trial << ", row " << row << " begins at " << other;
    }
  }
  EXPECT_GT(wrong, 1000);
  EXPECT_GT(right, 100);
}

TEST(CsrOrder, SeesEveryFault) {
  every_fault_is_seen<std::int32_t, std::int32_t>();
  every_fault_is_seen<std::int64_t, std::int32_t>();
  every_fault_is_seen<std::int64_t, std::int64_t>();
}

TEST(CsrOrder, KnowsMatricesOfNothing) {
  EXPECT_TRUE((Arrays<std::int32_t, std::int32_t>{}.in_order()));
  EXPECT_TRUE((Arrays<std::int32_t, std::int32_t>{5, {0, 0, 0}, {}}.in_order()));
  EXPECT_FALSE((Arrays<std::int32_t, std::int32_t>{0, {0, 1}, {0}}.in_order()));
  EXPECT_TRUE((Arrays<std::int32_t, std::int32_t>{1, {0, 0, 1, 1}, {0}}.in_order()));
}

// A descent within one row beside a border of rows without one: as many as there may be, and yet not in order.
TEST(CsrOrder, DoesNotTakeOneDescentForAnother) {
  EXPECT_TRUE((Arrays<std::int32_t, std::int32_t>{9, {0, 2, 4}, {1, 2, 3, 4}}.in_order()));
  EXPECT_FALSE((Arrays<std::int32_t, std::int32_t>{9, {0, 2, 4}, {2, 1, 3, 4}}.in_order()));
  EXPECT_FALSE((Arrays<std::int32_t, std::int32_t>{9, {0, 2, 4}, {2, 3, 1, 1}}.in_order()));
  EXPECT_TRUE((Arrays<std::int32_t, std::int32_t>{9, {0, 2, 4}, {2, 3, 3, 4}}.in_order()));
}

// Of more columns than the type of the indices tells, every one that is not negative is there.
TEST(CsrOrder, TakesMoreColumnsThanTheTypeTells) {
  const std::int64_t many = std::int64_t{1} << 40;
  EXPECT_TRUE((Arrays<std::int64_t, std::int32_t>{many, {0, 2}, {0, 2147483647}}.in_order()));
  EXPECT_FALSE((Arrays<std::int64_t, std::int32_t>{many, {0, 2}, {-1, 2147483647}}.in_order()));
}
}  // namespace
}  // namespace sparsecast::matrix

// The arrays of every format written out for a 4 × 5 matrix (testing::by_eye), and what conversions refuse.

#include <gtest/gtest.h>

#include <cstdint>
#include <sparsecast/error.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/coo.hpp"
#include "formats/csr.hpp"
#include "formats/ell.hpp"
#include "formats/hyb.hpp"
#include "formats/jad.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"
#include "formats/sell.hpp"

namespace sparsecast {
namespace {

using testing::by_eye;
using Indices = Array<std::int32_t>;
using Values = Array<double>;
constexpr std::int32_t none = formats::padding_column;

TEST(CsrLayout, AliasesTheMatrixInDouble) {
  const Matrix matrix = by_eye();
  const auto csr = formats::to_csr<double>(matrix, 2);
  matrix.visit([&](const auto& original) {
    csr.visit([&](const auto& view) {
      EXPECT_EQ(static_cast<const void*>(view.values), original.values.data());
      EXPECT_EQ(static_cast<const void*>(view.column_indices), original.column_indices.data());
    });
  });
}

TEST(CsrLayout, CopiesOnlyTheValuesInSingle) {
  const auto csr = formats::to_csr<float>(by_eye(), 2);
  EXPECT_EQ(csr.converted_values, (Array<float>{11, 20, 21, 22, 24, 31, 33}));
  EXPECT_EQ(csr.bytes(), 5 * 4 + 7 * (4 + 4));
}

TEST(CooLayout, HoldsRowColumnAndValue) {
  const auto coo = formats::to_coo<double, std::int32_t>(by_eye(), 3);
  EXPECT_EQ(coo.row_indices, (Indices{0, 1, 1, 1, 1, 3, 3}));
  EXPECT_EQ(coo.column_indices, (Indices{1, 0, 1, 2, 4, 1, 3}));
  EXPECT_EQ(coo.values, (Values{11, 20, 21, 22, 24, 31, 33}));
}

TEST(CooLayout, LeavesOutTheFirstNonzerosOfEveryRow) {
  const auto coo = formats::to_coo<double, std::int32_t>(by_eye(), 2, 1);
  EXPECT_EQ(coo.row_indices, (Indices{1, 1, 1, 3}));
  EXPECT_EQ(coo.values, (Values{21, 22, 24, 33}));
}

TEST(EllLayout, IsPaddedToTheLongestRowColumnByColumn) {
  const auto ell = formats::to_ell<double, std::int32_t>(by_eye(), 2);
  EXPECT_EQ(ell.width, 4);
  EXPECT_EQ(ell.column_indices, (Indices{1, 0, none, 1,        //
                                         none, 1, none, 3,     //
                                         none, 2, none, none,  //
                                         none, 4, none, none}));
  EXPECT_EQ(ell.values, (Values{11, 20, 0, 31,  //
                                0, 21, 0, 33,   //
                                0, 22, 0, 0,    //
                                0, 24, 0, 0}));
}

TEST(HybLayout, PutsEverythingIntoCooWhereFewRowsExist) {
  const auto hyb = formats::to_hyb<double, std::int32_t>(by_eye(), 2);
  EXPECT_EQ(hyb.regular.width, 0);
  EXPECT_EQ(hyb.overflow.values.size(), 7U);
}

TEST(HybLayout, SplitsAtTheWidthThatEnoughRowsFill) {
  // 9000 rows of 2, of which 4500 have 4 and one has 9: 4500 ≥ max(4096, 3000) rows have 4 or more, so K is 4.
  std::vector<std::vector<std::int64_t>> rows(9000, {0, 1});
  for (std::size_t row = 0; row < 4500; ++row) rows[2 * row] = {0, 1, 2, 3};
  rows[7] = {0, 1, 2, 3, 4, 5, 6, 7, 8};
  const auto hyb = formats::to_hyb<double, std::int32_t>(testing::from_rows(9, rows), 2);
  EXPECT_EQ(hyb.regular.width, 4);
  EXPECT_EQ(hyb.overflow.row_indices, (Indices{7, 7, 7, 7, 7}));
  EXPECT_EQ(hyb.overflow.column_indices, (Indices{4, 5, 6, 7, 8}));
}

TEST(JadLayout, HoldsTheDiagonalsOfTheSortedRows) {
  const auto jad = formats::to_jad<double, std::int32_t>(by_eye(), 2);
  EXPECT_EQ(jad.permutation, (Indices{1, 3, 0, 2}));
  EXPECT_EQ(jad.diagonal_pointers, (Array<std::int64_t>{0, 3, 5, 6, 7}));
  EXPECT_EQ(jad.column_indices, (Indices{0, 1, 1, 1, 3, 2, 4}));
  EXPECT_EQ(jad.values, (Values{20, 31, 11, 21, 33, 22, 24}));
}

TEST(SellLayout, PadsEverySliceToItsOwnLongestRow) {
  const auto sell = formats::to_sell<double, std::int32_t>(by_eye(), 2, 1, 2);
  EXPECT_TRUE(sell.permutation.empty());
  EXPECT_EQ(sell.slice_pointers, (Array<std::int64_t>{0, 8, 12}));
  EXPECT_EQ(sell.column_indices, (Indices{1, 0, none, 1, none, 2, none, 4,  //
                                          none, 1, none, 3}));
  EXPECT_EQ(sell.values, (Values{11, 20, 0, 21, 0, 22, 0, 24, 0, 31, 0, 33}));
}

TEST(SellLayout, SortsRowsByLengthWithinWindows) {
  const auto sell = formats::to_sell<double, std::int32_t>(by_eye(), 2, 4, 2);
  EXPECT_EQ(sell.permutation, (Indices{0, 2, 1, 3}));  // the slice of rows 1 and 3 comes behind that of row 0
  EXPECT_EQ(sell.slice_pointers, (Array<std::int64_t>{0, 2, 10}));
  EXPECT_EQ(sell.values, (Values{11, 0, 20, 31, 21, 33, 22, 0, 24, 0}));
}

// Rows of two entries and of one take turns. Sorted, each kind fills two slices; those of the first 16 rows come first.
TEST(SellLayout, SlicesOfAWindowFollowTheirFirstRows) {
  Csr<std::int32_t, std::int32_t> csr{32, 2, {0}, {}, {}};
  for (int row = 0; row < 32; ++row) {
    for (int column = 0; column < 1 + row % 2; ++column) {
      csr.column_indices.push_back(column);
      csr.values.push_back(row);
    }
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.values.size()));
  }
  const auto sell = formats::to_sell<double, std::int32_t>(Matrix(std::move(csr), "turns"), 8, 32, 1);
  std::vector<std::int32_t> first_rows;
  for (int slice = 0; slice < 4; ++slice) first_rows.push_back(sell.permutation[8 * slice]);
  EXPECT_EQ(first_rows, (std::vector<std::int32_t>{0, 1, 16, 17}));
  EXPECT_EQ(sell.slice_pointers, (Array<std::int64_t>{0, 8, 24, 32, 48}));
}

TEST(SellLayout, PadsTheLastSliceToAllItsRows) {
  const auto sell = formats::to_sell<double, std::int32_t>(testing::from_rows(2, {{0}, {1}, {0, 1}}), 2, 1, 1);
  EXPECT_EQ(sell.slice_pointers, (Array<std::int64_t>{0, 2, 6}));
  EXPECT_EQ(sell.column_indices, (Indices{0, 1, 0, none, 1, none}));
}

TEST(MergePath, CutsRowsAndNonzerosEvenly) {
  // 4 rows + 7 non-zeros = 11 items in three parts of 4, 4 and 3.
  const std::int32_t row_pointers[] = {0, 1, 5, 5, 7};
  const auto points = formats::merge_path_partition(row_pointers, 4, 3);
  ASSERT_EQ(points.size(), 4U);
  EXPECT_EQ(points[1].row, 1);      // row 0 is done,
  EXPECT_EQ(points[1].nonzero, 3);  // two of row 1's four non-zeros are consumed: 1 + 3 items
  EXPECT_EQ(points[2].row, 3);
  EXPECT_EQ(points[2].nonzero, 5);
  EXPECT_EQ(points[3].row, 4);
  EXPECT_EQ(points[3].nonzero, 7);
}

TEST(Conversions, GiveTheSameArraysForAnyNumberOfThreads) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const auto jad = formats::to_jad<double, std::int32_t>(matrix, 1);
    const auto sell = formats::to_sell<double, std::int32_t>(matrix, 8, 1024, 1);
    const auto coo = formats::to_coo<double, std::int32_t>(matrix, 1, 2);
    const auto ell = formats::to_ell<double, std::int32_t>(matrix, 1);
    for (const int threads : {2, 5}) {
      EXPECT_EQ((formats::to_jad<double, std::int32_t>(matrix, threads).permutation), jad.permutation) << name;
      EXPECT_EQ((formats::to_jad<double, std::int32_t>(matrix, threads).column_indices), jad.column_indices) << name;
      EXPECT_EQ((formats::to_sell<double, std::int32_t>(matrix, 8, 1024, threads).column_indices), sell.column_indices)
          << name;
      EXPECT_EQ((formats::to_coo<double, std::int32_t>(matrix, threads, 2).column_indices), coo.column_indices) << name;
      EXPECT_EQ((formats::to_ell<double, std::int32_t>(matrix, threads).column_indices), ell.column_indices) << name;
    }
  }
}

TEST(Conversions, WideIndicesHoldTheSameNumbers) {
  const auto narrow = formats::to_jad<double, std::int32_t>(by_eye(), 2);
  const auto wide = formats::to_jad<double, std::int64_t>(by_eye(), 2);
  EXPECT_TRUE(std::equal(wide.column_indices.begin(), wide.column_indices.end(), narrow.column_indices.begin(),
                         narrow.column_indices.end()));
  EXPECT_EQ(wide.values, narrow.values);
}

TEST(Sizes, SaturateInsteadOfOverflowing) {
  Structure structure;
  structure.rows = structure.cols = 3'000'000'000'000;
  structure.row_max = 2'000'000'000'000;
  EXPECT_EQ(formats::ell_bytes(structure, 8), INT64_MAX);
}

TEST(Sizes, ThatCannotBeHadAreRefused) {
  std::vector<std::vector<std::int64_t>> rows(4, {0});
  try {
    static_cast<void>(formats::to_ell<double, std::int32_t>(testing::from_rows(5, rows), 1, INT64_MAX / 2));
    FAIL() << "no error";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ErrorCode::too_large);
    EXPECT_EQ(error.reason().rfind("too large", 0), 0U) << error.reason();
  }
}

TEST(Sizes, OfASliceShapeThatWasNotCountedAreRefused) {
  EXPECT_THROW(static_cast<void>(formats::sell_bytes(testing::counted_structure(by_eye()), 7, 1, 8)), Error);
}

TEST(Sizes, IndicesAreWideOnlyBeyond32Bits) {
  EXPECT_EQ(formats::index_bytes(INT32_MAX, INT32_MAX), 4);
  EXPECT_EQ(formats::index_bytes(INT32_MAX + std::int64_t{1}, 5), 8);
  EXPECT_EQ(formats::index_bytes(5, INT32_MAX + std::int64_t{1}), 8);
}

}  // namespace
}  // namespace sparsecast

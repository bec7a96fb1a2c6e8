// The forms made for a structure: their arrays written out, and which matrices they are refused to.

#include <gtest/gtest.h>
#include <omp.h>

#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/kernels.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/reference.hpp"
#include "formats/structured/bsr.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/dia.hpp"
#include "formats/structured/sell_sym.hpp"
#include "formats/within_bound.hpp"

namespace sparsecast {
namespace {

using Indices = Array<std::int32_t>;
using Values = Array<double>;

Matrix of(std::int64_t rows, std::int64_t cols, Array<std::int32_t> pointers, Indices columns, Values values) {
  return Matrix(Csr<std::int32_t, std::int32_t>{rows, cols, std::move(pointers), std::move(columns), std::move(values)},
                "by hand");
}

// 1 2 .        three rows: the diagonal is full, two rows have one to the right,
// . 3 4        and one entry lies on its own
// 5 . 6
Matrix small() { return of(3, 3, {0, 2, 4, 6}, {0, 1, 1, 2, 0, 2}, {1, 2, 3, 4, 5, 6}); }

TEST(DiaLayout, HoldsSlicesOfEightRowsDiagonalByDiagonal) {
  const auto dia = formats::to_dia<double, std::int32_t>(small(), 1);
  EXPECT_EQ(dia.diagonals, (Array<std::int64_t>{0, 1}));
  ASSERT_EQ(dia.values.size(), 16U);
  EXPECT_EQ((Values{dia.values.begin(), dia.values.begin() + 3}), (Values{1, 3, 6}));
  EXPECT_EQ((Values{dia.values.begin() + 8, dia.values.begin() + 10}), (Values{2, 4}));
  for (const int padded : {3, 7, 10, 15}) EXPECT_TRUE(formats::is_padding(dia.values[padded])) << padded;
  EXPECT_EQ(dia.rest[0].rows, (Indices{2}));
  EXPECT_EQ(dia.rest[0].ends, (Array<std::int64_t>{1}));
  EXPECT_EQ(dia.rest[0].column_indices, (Indices{0}));
  EXPECT_EQ(dia.rest[0].values, (Values{5}));
}

TEST(DiaLayout, TheRestOfEveryPartIsItsOwn) {
  const Matrix matrix = testing::awkward_matrices()[2].make();
  const auto dia = formats::to_dia<double, std::int32_t>(matrix, 3);
  EXPECT_EQ(dia.rest.size(), 3U);
}

// Slices whose rows are all full are filled at once; the others, at the borders of the grid, entry by entry.
TEST(DiaLayout, HoldsEveryEntryOfAStencilAtItsPlace) {
  MatrixSpec spec;
  spec.kind = "poisson2d";
  spec.parameters = {.size = 20};
  const Matrix matrix = generate(spec);
  const auto dia = formats::to_dia<double, std::int32_t>(matrix, 2);
  ASSERT_EQ(dia.diagonals, (Array<std::int64_t>{-20, -1, 0, 1, 20}));
  std::int64_t filled = 0;
  for (const double slot : dia.values) filled += formats::is_padding(slot) ? 0 : 1;
  EXPECT_EQ(filled, matrix.nonzeros());
  matrix.visit([&](const auto& csr) {
    for (std::int64_t row = 0; row < csr.rows; ++row)
      for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k) {
        const auto d = std::ranges::find(dia.diagonals, csr.column_indices[k] - row) - dia.diagonals.begin();
        EXPECT_EQ(dia.values[(row / 8 * 5 + d) * 8 + row % 8], csr.values[k]) << row;
      }
  });
}

TEST(Padding, IsAZeroThatNoEntryIs) {
  EXPECT_TRUE(formats::is_padding(formats::padding_value<double>));
  EXPECT_TRUE(formats::is_padding(formats::padding_value<float>));
  EXPECT_FALSE(formats::is_padding(formats::stored<double>(-0.0)));
  EXPECT_FALSE(formats::is_padding(formats::stored<float>(0.0)));
  EXPECT_EQ(formats::stored<double>(-2.5), -2.5);
}

TEST(BsrLayout, HoldsBlocksColumnByColumnFromTheirFirstEntryOn) {
  // Blocks of 2 × 2 from columns 0 and 3; the last row has none beside it.
  const Matrix matrix = of(5, 5, {0, 2, 4, 6, 8, 10}, {0, 1, 0, 1, 3, 4, 3, 4, 1, 2},  //
                           {1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  const auto bsr = formats::to_bsr<double, std::int32_t>(matrix, 2);
  EXPECT_EQ(bsr.block_rows, 2);
  EXPECT_EQ(bsr.block_cols, 2);
  EXPECT_EQ(bsr.block_pointers, (Array<std::int64_t>{0, 1, 2, 3}));
  EXPECT_EQ(bsr.column_indices, (Indices{0, 3, 1}));
  EXPECT_EQ(bsr.values, (Values{1, 3, 2, 4, 5, 7, 6, 8, 9, 0, 10, 0}));
  EXPECT_TRUE(formats::is_padding(bsr.values[9]));
}

TEST(BsrLayout, ABlockAtTheRightBorderBeginsBeforeItsFirstEntry) {
  // Two rows of 2 × 2 blocks, and one entry of each in the last column, from column 3 of 5 on.
  const Matrix matrix =
      of(4, 5, {0, 3, 6, 9, 12}, {0, 1, 4, 0, 1, 4, 0, 1, 4, 0, 1, 4}, {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12});
  const auto bsr = formats::to_bsr<double, std::int32_t>(matrix, 1);
  ASSERT_EQ(bsr.block_cols, 2);
  const auto last = static_cast<std::size_t>(bsr.block_pointers[1]) - 1;
  EXPECT_EQ(bsr.column_indices[last], 3);
}

TEST(AlignedBlocks, BeginAtMultiplesOfTheirSideAndHoldEachRowByRow) {
  // 1 2 . . .     2 × 2: two blocks from column 0 (the second of the third and fourth row), one from 2, one from 4
  // 3 . . . 4
  // . 5 6 . .
  const auto blocks =
      formats::to_aligned_blocks<double>(of(3, 5, {0, 2, 4, 6}, {0, 1, 0, 4, 1, 2}, {1, 2, 3, 4, 5, 6}), 2);
  EXPECT_EQ(blocks.pointers, (std::vector<std::int32_t>{0, 2, 4}));
  EXPECT_EQ(blocks.columns, (std::vector<std::int32_t>{0, 2, 0, 1}));
  EXPECT_EQ(blocks.values, (std::vector<double>{1, 2, 3, 0, 0, 0, 4, 0, 0, 5, 0, 0, 6, 0, 0, 0}));
}

TEST(CsrSymLayout, HoldsTheLowerTriangleAndTheDiagonal) {
  // 1 2 .
  // 2 . 4
  // . 4 6
  const Matrix matrix = of(3, 3, {0, 2, 4, 6}, {0, 1, 0, 2, 1, 2}, {1, 2, 2, 4, 4, 6});
  const auto sym = formats::to_csr_sym<double, std::int32_t>(matrix, 2);
  EXPECT_EQ(sym.row_pointers, (Array<std::int64_t>{0, 0, 1, 2}));
  EXPECT_EQ(sym.column_indices, (Indices{0, 1}));
  EXPECT_EQ(sym.values, (Values{2, 4}));
  EXPECT_EQ(sym.diagonal, (Values{1, 0, 6}));
  EXPECT_TRUE(formats::is_padding(sym.diagonal[1]));
}

TEST(SellSymLayout, HoldsTheLowerTriangleInSlicesWithoutPadding) {
  // 1 2 . 7
  // 2 . 4 .
  // . 4 6 .
  // 7 . . .
  const Matrix matrix = of(4, 4, {0, 3, 5, 7, 8}, {0, 1, 3, 0, 2, 1, 2, 0}, {1, 2, 7, 2, 4, 4, 6, 7});
  const auto sym = formats::to_sell_sym<double, std::int32_t>(matrix, 1);
  EXPECT_EQ(sym.slice_pointers, (Array<std::int64_t>{0, 3}));
  EXPECT_EQ(sym.permutation, (Indices{1, 2, 3, 0}));
  EXPECT_EQ(sym.lengths, (Indices{1, 1, 1, 0}));
  EXPECT_EQ(sym.column_indices, (Indices{0, 1, 0}));
  EXPECT_EQ(sym.values, (Values{2, 4, 7}));
  EXPECT_EQ(sym.diagonal, (Values{1, 0, 6, 0}));
  EXPECT_TRUE(formats::is_padding(sym.diagonal[1]));
}

TEST(SellSymLayout, RowsOfASliceAreApart) {
  const Matrix matrix = generate({.kind = "banded", .rows = 1024, .parameters = {.bandwidth = 1}});
  const auto sym = formats::to_sell_sym<double, std::int32_t>(matrix, 1);
  // 1023 rows have one entry below the diagonal: eight times 127 of them are dealt out.
  ASSERT_EQ(sym.lengths[1022], 1);
  for (int lane = 1; lane < 8; ++lane) EXPECT_EQ(sym.permutation[lane], sym.permutation[0] + 127 * lane);
}

TEST(SellSymLayout, HoldsEveryEntryOnceInWindowsOfEveryPart) {
  const Matrix matrix = generate({.kind = "geometric", .row_length = 9, .rows = 5003});
  for (const int parts : {1, 2, 5}) {
    const auto sym = formats::to_sell_sym<double, std::int32_t>(matrix, parts);
    ASSERT_EQ(sym.parts.size(), static_cast<std::size_t>(parts) + 1);
    for (int part = 0; part < parts; ++part) {
      EXPECT_EQ(sym.parts[static_cast<std::size_t>(part)] % 8, 0);
      for (std::int64_t row = sym.parts[static_cast<std::size_t>(part)];
           row < sym.parts[static_cast<std::size_t>(part) + 1]; ++row)
        EXPECT_GE(sym.permutation[row], sym.parts[static_cast<std::size_t>(part)]);
    }
    Array<std::int32_t> rows = sym.permutation;
    std::ranges::sort(rows);
    for (std::int32_t row = 0; row < 5003; ++row) ASSERT_EQ(rows[row], row);
    std::int64_t entries = 0;
    matrix.visit([&](const auto& csr) {
      for (std::int64_t slice = 0; slice < sym.slices(); ++slice)
        sym.for_each_slot(slice, [&](std::int64_t slot, std::int64_t row, std::int64_t k) {
          const auto from = csr.row_pointers[row] + k;
          entries += sym.column_indices[slot] == csr.column_indices[from] && sym.column_indices[slot] < row &&
                             sym.values[slot] == csr.values[from]
                         ? 1
                         : 0;
        });
    });
    EXPECT_EQ(entries, static_cast<std::int64_t>(sym.values.size()));
    EXPECT_EQ(2 * entries, matrix.nonzeros()) << "without a diagonal";
  }
}

TEST(SellSym, NewValuesThatAreNotSymmetricHaveToBeBuiltAgain) {
  const auto with_corner = [](double value) {
    return of(3, 3, {0, 2, 4, 6}, {0, 2, 1, 2, 0, 1}, {1, value, 3, 4, 5, 4});
  };
  const auto product = formats::find_host_kernel("sell-sym")->build_double(with_corner(5), 2);
  EXPECT_EQ(product->transposed_parts(), 2);
  EXPECT_FALSE(product->update_values(with_corner(6)));
}

// The parts decide the result, and not how many threads a call was granted.
TEST(SymmetricForms, HaveTheSameResultsWhateverTheCallersLimitOfThreads) {
  const Matrix matrix = generate({.kind = "geometric", .row_length = 9, .rows = 3000});
  const std::vector<double> x = testing::input_vector<double>(matrix.cols());
  const int usual = omp_get_max_threads();
  for (const char* kernel : {"csr-sym", "sell-sym"}) {
    const auto product = formats::find_host_kernel(kernel)->build_double(matrix, 5);
    std::vector<double> expected(x.size()), y(x.size());
    omp_set_num_threads(5);
    product->apply(x, expected);
    for (const int limit : {1, 2, 3}) {
      omp_set_num_threads(limit);
      product->apply(x, y);
      EXPECT_EQ(y, expected) << kernel << " on at most " << limit;
    }
  }
  omp_set_num_threads(usual);
}

TEST(Conversions, OfStructuredFormsGiveTheSameArraysForAnyNumberOfThreads) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const auto dia = formats::to_dia<double, std::int32_t>(matrix, 1);
    const auto bsr = formats::to_bsr<double, std::int32_t>(matrix, 1);
    for (const int threads : {2, 5}) {
      EXPECT_EQ((formats::to_dia<double, std::int32_t>(matrix, threads).values), dia.values) << name;
      EXPECT_EQ((formats::to_bsr<double, std::int32_t>(matrix, threads).column_indices), bsr.column_indices) << name;
      EXPECT_EQ((formats::to_bsr<double, std::int32_t>(matrix, threads).values), bsr.values) << name;
    }
  }
}

std::string refusal(const char* kernel, const MatrixSpec& spec) {
  return formats::refusal_of(kernel, analyze(generate(spec)));
}

TEST(Refusals, FormsAreForMatricesWithTheirStructure) {
  const MatrixSpec grid{"poisson2d", 0, 0, 0, 0, 1, {.size = 60}};
  const MatrixSpec blocks{"blocks", 0, 24, 3000, 0, 1, {.dof = 3}};
  const MatrixSpec random{"uniform", 0, 12, 4000, 4000, 1, {}};
  EXPECT_EQ(refusal("dia", grid), "");
  EXPECT_EQ(refusal("bsr", blocks), "");
  EXPECT_EQ(refusal("csr-sym", grid), "");
  EXPECT_EQ(refusal("csr-sym", blocks), "");
  EXPECT_EQ(refusal("sell-sym", grid), "");
  EXPECT_EQ(refusal("sell-sym", random), "its values are not symmetric");
  EXPECT_EQ(refusal("dia", random), "no dense diagonals");
  EXPECT_EQ(refusal("bsr", random), "no shape of 2 to 8 rows and columns fills its blocks well");
  EXPECT_EQ(refusal("csr-sym", random), "its values are not symmetric");
  EXPECT_EQ(refusal("csr", random), "");
}

TEST(Refusals, AStructureThatDoesNotTellIsRefused) {
  const Structure record;
  for (const char* kernel : {"dia", "bsr", "csr-sym", "sell-sym", "sell-8-1", "sell-16-1024", "sell-32-1024"})
    EXPECT_NE(formats::refusal_of(kernel, record).find("structure does not "), std::string::npos) << kernel;
}

TEST(Refusals, DiagonalsThatSaveTooLittleAreRefused) {
  // Every other entry of three diagonals.
  std::vector<std::vector<std::int64_t>> rows(500);
  for (std::int64_t r = 0; r < 500; ++r)
    for (const std::int64_t c : {r - 9, r, r + 9})
      if (c >= 0 && c < 500 && (c == r || (r + c / 9) % 2 == 0)) rows[static_cast<std::size_t>(r)].push_back(c);
  const std::string reason = formats::refusal_of("dia", analyze(testing::from_rows(500, rows)));
  EXPECT_NE(reason.find("save too little"), std::string::npos) << reason;
}

}  // namespace
}  // namespace sparsecast

// The inner loops in every instruction set that this processor runs: a product takes the best one only.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sparsecast/generate.hpp>

#include "formats/awkward_matrices.hpp"
#include "formats/coo.hpp"
#include "formats/ell.hpp"
#include "formats/reference.hpp"
#include "formats/sell.hpp"
#include "formats/simd/lane_sums.hpp"
#include "formats/simd/many_vectors.hpp"
#include "formats/simd/row_sums.hpp"
#include "formats/structured/block_sums.hpp"
#include "formats/structured/bsr.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/dia.hpp"
#include "formats/structured/diagonal_sums.hpp"
#include "formats/structured/mirrored_sums.hpp"
#include "formats/structured/sell_sym.hpp"
#include "formats/within_bound.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast {
namespace {

template <class Value>
class InnerLoops : public ::testing::Test {};
using Precisions = ::testing::Types<float, double>;
TYPED_TEST_SUITE(InnerLoops, Precisions);

// What the loops of these tests go through.
TEST(AwkwardMatrices, AreManyAndEveryMachineHasAnInstructionSet) {
  EXPECT_GT(testing::awkward_matrices().size(), 15U);
  EXPECT_FALSE(formats::supported_simd().empty());
}

TYPED_TEST(InnerLoops, RowSumsAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const formats::ReferenceProduct reference = formats::reference_product<TypeParam>(matrix, x);
    const auto layout = formats::to_csr<TypeParam>(matrix, 1);
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      layout.visit([&](const auto& csr) {
        using View = std::decay_t<decltype(csr)>;
        const auto sums = formats::row_sums<TypeParam, typename View::Offset, typename View::Index>(simd);
        std::vector<TypeParam> y(static_cast<std::size_t>(csr.rows), std::numeric_limits<TypeParam>::quiet_NaN());
        sums.rows(csr, 0, csr.rows, x.data(), y.data());
        testing::expect_within_bound(y, reference);
        for (std::int64_t row = 0; row < csr.rows; ++row)
          y[row] = sums.part(csr, csr.row_pointers[row], csr.row_pointers[row + 1], x.data());
        testing::expect_within_bound(y, reference);
      });
    }
  }
}

TYPED_TEST(InnerLoops, SegmentSumsAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto coo = formats::to_coo<TypeParam, std::int32_t>(matrix, 1);
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), 0);
      formats::segment_sums<TypeParam, std::int32_t>(simd).add(
          coo.row_indices.data(), coo.column_indices.data(), coo.values.data(), matrix.nonzeros(), x.data(), y.data());
      testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
    }
  }
}

TYPED_TEST(InnerLoops, SlicesAgreeInEveryInstructionSetAndHeight) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    for (const int slice_rows : {8, 32}) {
      const auto sell = formats::to_sell<TypeParam, std::int32_t>(matrix, slice_rows, 1, 2);
      for (const formats::Simd simd : formats::supported_simd()) {
        SCOPED_TRACE(name + ", " + formats::simd_name(simd) + ", C = " + std::to_string(slice_rows));
        std::vector<TypeParam> y(static_cast<std::size_t>(sell.slices() * slice_rows), TypeParam{-1});
        for (std::int64_t slice = 0; slice < sell.slices(); ++slice) {
          const std::int64_t begin = sell.slice_pointers[slice];
          formats::lane_sums<TypeParam, std::int32_t>(simd).slice(sell.values.data() + begin,
                                                                  sell.column_indices.data() + begin,
                                                                  (sell.slice_pointers[slice + 1] - begin) / slice_rows,
                                                                  slice_rows, x.data(), y.data() + slice * slice_rows);
        }
        for (std::size_t padded = static_cast<std::size_t>(matrix.rows()); padded < y.size(); ++padded)
          EXPECT_EQ(y[padded], 0);
        y.resize(static_cast<std::size_t>(matrix.rows()));
        testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
      }
    }
  }
}

template <class Value>
std::vector<formats::FullColumns> full_columns_of(const formats::Sell<Value, std::int32_t>& sell) {
  std::vector<formats::FullColumns> full;
  for (std::int64_t slice = 0; slice < sell.slices(); ++slice) {
    const std::int64_t begin = sell.slice_pointers[slice], slots = sell.slice_pointers[slice + 1] - begin;
    full.push_back(formats::full_columns(sell.column_indices.data() + begin, slots / sell.slice_rows, sell.slice_rows));
  }
  return full;
}

TEST(FullColumns, LeadingOnesAreCountedAndRunsAreTold) {
  const auto full = [](const std::vector<std::int32_t>& columns) {
    return formats::full_columns(columns.data(), static_cast<std::int64_t>(columns.size()) / 8, 8);
  };
  const std::vector<std::int32_t> run{3, 4, 5, 6, 7, 8, 9, 10}, scattered{3, 4, 5, 6, 7, 8, 9, 11},
      padded{3, 4, 5, 6, 7, 8, 9, -1};
  const auto both = [](std::vector<std::int32_t> first, const std::vector<std::int32_t>& second) {
    first.insert(first.end(), second.begin(), second.end());
    return first;
  };
  EXPECT_EQ(full(both(run, run)), formats::read_in_runs);
  EXPECT_EQ(full(both(run, scattered)), formats::every_column);
  EXPECT_EQ(full(both(scattered, padded)), 1);
  EXPECT_EQ(full(both(padded, run)), 0);
  std::vector<std::int32_t> long_rows;
  for (int k = 0; k < 300; ++k) long_rows = both(std::move(long_rows), run);
  EXPECT_EQ(full(long_rows), formats::read_in_runs);
  EXPECT_EQ(full(both(long_rows, padded)), formats::every_column - 1);
}

TYPED_TEST(InnerLoops, RunsOfSlicesAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto sell = formats::to_sell<TypeParam, std::int32_t>(matrix, 8, 1024, 2);
    const auto full = full_columns_of(sell);
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
      formats::lane_sums<TypeParam, std::int32_t>(simd).slices(
          {sell.values.data(), sell.column_indices.data(), sell.slice_pointers.data(), sell.permutation.data(),
           full.data(), sell.rows},
          0, sell.slices(), x.data(), y.data());
      testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
    }
  }
}

TYPED_TEST(InnerLoops, RunsOfSlicesOfEveryShapeAgreeInEveryInstructionSet) {
  constexpr formats::SellShape shapes[] = {{8, 1}, {8, 1024}, {16, 64}, {32, 1}, {32, 1024}};
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    for (const formats::SellShape& shape : shapes) {
      const auto sell = formats::to_sell<TypeParam, std::int32_t>(matrix, shape.slice_rows, shape.sort_rows, 2);
      const auto full = full_columns_of(sell);
      for (const formats::Simd simd : formats::supported_simd()) {
        SCOPED_TRACE(name + ", " + formats::simd_name(simd) + ", C = " + std::to_string(shape.slice_rows));
        std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
        formats::lane_sums<TypeParam, std::int32_t>(simd).slices_of(
            {sell.values.data(), sell.column_indices.data(), sell.slice_pointers.data(),
             shape.sort_rows > 1 ? sell.permutation.data() : nullptr, full.data(), sell.rows},
            shape.slice_rows, 0, sell.slices(), x.data(), y.data());
        testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
      }
    }
  }
}

TYPED_TEST(InnerLoops, ColumnsAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto ell = formats::to_ell<TypeParam, std::int32_t>(matrix, 2);
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      const auto sums = formats::lane_sums<TypeParam, std::int32_t>(simd);
      std::vector<TypeParam> side_by_side(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
      sums.columns(ell.values.data(), ell.column_indices.data(), ell.rows, ell.width, ell.rows, x.data(),
                   side_by_side.data());
      testing::expect_within_bound(side_by_side, formats::reference_product<TypeParam>(matrix, x));
      std::vector<TypeParam> one_by_one(static_cast<std::size_t>(matrix.rows()), TypeParam{0});
      for (std::int64_t k = 0; k < ell.width; ++k) {
        const TypeParam* values = ell.values.data() + k * ell.rows;
        const std::int32_t* columns = ell.column_indices.data() + k * ell.rows;
        sums.add_column(values, columns, ell.rows, values, columns, x.data(), one_by_one.data());
      }
      testing::expect_within_bound(one_by_one, formats::reference_product<TypeParam>(matrix, x));
    }
  }
}

// Every width that a tile has, and what is left beside them.
TYPED_TEST(InnerLoops, VectorsSideBySideAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const formats::ReferenceProduct reference = formats::reference_product<TypeParam>(matrix, x);
    const auto csr = formats::to_csr<TypeParam>(matrix, 1);
    for (const formats::Simd simd : formats::supported_simd()) {
      for (const std::int64_t vectors : {1, 2, 3, 4, 7, 8, 16, 17}) {
        SCOPED_TRACE(name + ", " + formats::simd_name(simd) + ", vectors " + std::to_string(vectors));
        // Vector v is x times 2^v: exact.
        std::vector<TypeParam> block, y(static_cast<std::size_t>(matrix.rows() * vectors), TypeParam{-1}), slices = y;
        for (const TypeParam entry : x)
          for (std::int64_t v = 0; v < vectors; ++v) block.push_back(std::ldexp(entry, static_cast<int>(v)));
        formats::BlockTask<TypeParam> task{block.data(), vectors, vectors, y.data(), vectors, 1, 1, 0};
        csr.visit([&]<class Offset, class Index>(const formats::CsrArrays<TypeParam, Offset, Index>& arrays) {
          formats::block_rows<TypeParam, Offset, Index>(simd).rows(arrays, 0, arrays.rows, task);
        });
        task.y = slices.data();
        // Slices of every height, sorted and not, for one number of vectors each.
        const int lanes = vectors % 3 == 0 ? 8 : vectors % 3 == 1 ? 16 : 32;
        const auto sell = formats::to_sell<TypeParam, std::int32_t>(matrix, lanes, vectors % 2 == 0 ? 64 : 1, 2);
        for (std::int64_t slice = 0; slice < sell.slices(); ++slice) {
          const std::int64_t begin = sell.slice_pointers[slice], first = slice * lanes;
          formats::block_slices<TypeParam, std::int32_t>(simd).slice(
              {sell.values.data() + begin, sell.column_indices.data() + begin,
               (sell.slice_pointers[slice + 1] - begin) / lanes, lanes,
               sell.permutation.empty() ? nullptr : sell.permutation.data() + first, first,
               std::min<std::int64_t>(lanes, sell.rows - first)},
              task);
        }
        // Rows that fill lines may go past the caches, and what lies far be asked for, with the same result.
        const std::int64_t row_bytes = vectors * static_cast<std::int64_t>(sizeof(TypeParam));
        if (row_bytes % 64 == 0 || row_bytes == 32 || row_bytes == 16) {
          Array<TypeParam> past(y.size(), TypeParam{-1});
          ASSERT_EQ(reinterpret_cast<std::uintptr_t>(past.data()) % 64, 0U);
          task.y = past.data();
          task.past_caches = task.far_vectors = true;
          csr.visit([&]<class Offset, class Index>(const formats::CsrArrays<TypeParam, Offset, Index>& arrays) {
            formats::block_rows<TypeParam, Offset, Index>(simd).rows(arrays, 0, arrays.rows, task);
          });
          EXPECT_EQ(std::vector<TypeParam>(past.begin(), past.end()), y);
        }
        for (std::int64_t v = 0; v < vectors; ++v) {
          std::vector<TypeParam> one, other;
          for (std::int64_t row = 0; row < matrix.rows(); ++row) {
            one.push_back(std::ldexp(y[static_cast<std::size_t>(row * vectors + v)], -static_cast<int>(v)));
            other.push_back(std::ldexp(slices[static_cast<std::size_t>(row * vectors + v)], -static_cast<int>(v)));
          }
          testing::expect_within_bound(one, reference);
          testing::expect_within_bound(other, reference);
        }
      }
    }
  }
}

TYPED_TEST(InnerLoops, DiagonalsAgreeInEveryInstructionSet) {
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto dia = formats::to_dia<TypeParam, std::int32_t>(matrix, 1);
    const auto count = static_cast<std::int64_t>(dia.diagonals.size());
    // Zeros around x, so that all slices are inner ones.
    const auto margin = static_cast<std::size_t>(matrix.rows() + matrix.cols() + 8);
    std::vector<TypeParam> wide(2 * margin + x.size(), 0);
    std::ranges::copy(x, wide.begin() + static_cast<std::ptrdiff_t>(margin));
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      std::vector<TypeParam> y(static_cast<std::size_t>(dia.slices() * 8), TypeParam{-1});
      formats::diagonal_sums<TypeParam>(simd).slices(dia.values.data(), dia.diagonals.data(), count, dia.slices(),
                                                     wide.data() + margin, y.data());
      std::int64_t k = 0;
      for (std::size_t i = 0; i < dia.rest[0].rows.size(); ++i)
        for (; k < dia.rest[0].ends[i]; ++k)
          y[dia.rest[0].rows[i]] += dia.rest[0].values[k] * x[dia.rest[0].column_indices[k]];
      y.resize(static_cast<std::size_t>(matrix.rows()));
      testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
    }
  }
}

TYPED_TEST(InnerLoops, BlocksAgreeInEveryInstructionSet) {
  std::set<std::pair<int, int>> shapes;
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto bsr = formats::to_bsr<TypeParam, std::int32_t>(matrix, 1);
    shapes.insert({bsr.block_rows, bsr.block_cols});
    for (const formats::Simd simd : formats::supported_simd()) {
      SCOPED_TRACE(name + ", " + formats::simd_name(simd));
      std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
      formats::block_sums<TypeParam, std::int32_t>(bsr.block_rows, bsr.block_cols, simd)
          .groups(bsr, 0, bsr.row_groups(), x.data(), y.data());
      testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
    }
  }
  for (const auto& shape : {std::pair{1, 1}, {2, 2}, {3, 3}, {4, 2}, {5, 7}, {6, 6}, {8, 8}})
    EXPECT_TRUE(shapes.contains(shape)) << shape.first << " × " << shape.second;
}

TYPED_TEST(InnerLoops, MirroredEntriesAgreeInEveryInstructionSet) {
  int symmetric = 0;
  for (const auto& [name, make] : testing::awkward_matrices()) {
    const Matrix matrix = make();
    if (matrix.rows() == 0 || matrix::value_symmetry(matrix, 1).symmetric != 1) continue;
    ++symmetric;
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    const auto sym = formats::to_csr_sym<TypeParam, std::int32_t>(matrix, 2);
    for (const formats::Simd simd : formats::supported_simd()) {
      const auto sums = formats::mirrored_sums<TypeParam, std::int32_t>(simd);
      for (const std::int64_t border : {std::int64_t{0}, sym.rows / 3, sym.rows}) {
        SCOPED_TRACE(name + ", " + formats::simd_name(simd) + ", border " + std::to_string(border));
        std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
        std::vector<TypeParam> far(y.size(), 0);
        sums.rows(sym, 0, border, x.data(), y.data(), nullptr);
        sums.rows(sym, border, sym.rows, x.data(), y.data(), far.data());
        for (std::size_t row = 0; row < y.size(); ++row) y[row] += far[row];
        testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
      }
    }
  }
  EXPECT_GE(symmetric, 2);
}

TYPED_TEST(InnerLoops, MirroredSlicesAgreeInEveryInstructionSet) {
  std::vector<Matrix> matrices{generate({.kind = "geometric", .row_length = 9, .rows = 2503}),
                               generate({.kind = "rmat", .parameters = {.scale = 10, .edges = 8000, .symmetric = 1}})};
  for (const auto& one : testing::awkward_matrices())
    if (Matrix matrix = one.make(); matrix.rows() > 0 && matrix::value_symmetry(matrix, 1).symmetric == 1)
      matrices.push_back(std::move(matrix));
  ASSERT_GE(matrices.size(), 4U);
  for (const Matrix& matrix : matrices) {
    ASSERT_EQ(matrix::value_symmetry(matrix, 1).symmetric, 1) << matrix.name();
    const std::vector<TypeParam> x = testing::input_vector<TypeParam>(matrix.cols());
    for (const int parts : {1, 2}) {
      const auto sym = formats::to_sell_sym<TypeParam, std::int32_t>(matrix, parts);
      for (const formats::Simd simd : formats::supported_simd()) {
        SCOPED_TRACE(matrix.name() + ", " + formats::simd_name(simd) + ", parts " + std::to_string(parts));
        const auto sums = formats::mirrored_sums<TypeParam, std::int32_t>(simd);
        std::vector<TypeParam> y(static_cast<std::size_t>(matrix.rows()), TypeParam{-1});
        std::vector<TypeParam> far(y.size(), 0);
        for (std::size_t part = 0; part + 1 < sym.parts.size(); ++part)
          sums.slices(sym, sym.parts[part], sym.parts[part + 1], {x.data(), y.data(), far.data(), 1, 0});
        for (std::size_t row = 0; row < y.size(); ++row) y[row] += far[row];
        testing::expect_within_bound(y, formats::reference_product<TypeParam>(matrix, x));
      }
    }
  }
}

}  // namespace
}  // namespace sparsecast

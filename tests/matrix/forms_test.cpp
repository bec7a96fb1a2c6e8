// What analyze() finds for the forms made for a structure: dense diagonals, blocks, symmetric values.

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/generate.hpp>
#include <sparsecast/structure.hpp>

#include "matrix/structure/diagonals.hpp"
#include "matrix/structure/structure_json.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast {
namespace {

using Narrow = Csr<std::int32_t, std::int32_t>;

Matrix grid(int size) { return generate({"poisson2d", 0, 0, 0, 0, 1, {.size = size}}); }
Matrix blocks_of(int dof, std::int64_t rows) { return generate({"blocks", 0, 8.0 * dof, rows, 0, 1, {.dof = dof}}); }

// The matrix with another value, or without one entry.
Matrix with_change(const Matrix& matrix, std::int64_t entry, bool removed) {
  return matrix.visit([&](const auto& csr) {
    Narrow copy{csr.rows, csr.cols, {}, {}, {}};
    for (const auto pointer : csr.row_pointers)
      copy.row_pointers.push_back(static_cast<std::int32_t>(pointer - (removed && pointer > entry ? 1 : 0)));
    for (std::int64_t k = 0; k < static_cast<std::int64_t>(csr.values.size()); ++k) {
      if (removed && k == entry) continue;
      copy.column_indices.push_back(static_cast<std::int32_t>(csr.column_indices[k]));
      copy.values.push_back(k == entry ? csr.values[k] + 1 : csr.values[k]);
    }
    return Matrix(std::move(copy), "changed");
  });
}

TEST(DenseDiagonals, OfAStencilAreItsPoints) {
  for (const int size : {20, 100}) {  // all rows, and a sample
    const Structure s = analyze(grid(size), 2);
    EXPECT_EQ(s.dense_diagonals.diagonals, 5);
    EXPECT_EQ(s.dense_diagonals.nonzeros, s.nonzeros);
    EXPECT_EQ(s.dense_diagonals.rest_rows, 0);
    EXPECT_EQ(matrix::dense_diagonals(grid(size)), (std::vector<std::int64_t>{-size, -1, 0, 1, size}));
  }
}

TEST(DenseDiagonals, WhatLiesElsewhereIsCountedExactly) {
  // The diagonal of 9,000 rows, and every hundredth row has three entries more.
  Narrow csr{9000, 9000, {0}, {}, {}};
  for (std::int32_t r = 0; r < 9000; ++r) {
    if (r % 100 == 50)
      for (const std::int32_t before : {r - 40, r - 30, r - 7}) csr.column_indices.push_back(before);
    csr.column_indices.push_back(r);
    csr.row_pointers.push_back(static_cast<std::int32_t>(csr.column_indices.size()));
  }
  csr.values.assign(csr.column_indices.size(), 1.0);
  for (const int threads : {1, 3}) {
    const Structure s = analyze(Matrix(csr, "mostly diagonal"), threads);
    EXPECT_EQ(s.dense_diagonals.diagonals, 1);
    EXPECT_EQ(s.dense_diagonals.nonzeros, 9000);
    EXPECT_EQ(s.dense_diagonals.rest_rows, 90);
  }
}

TEST(DenseDiagonals, OfARandomMatrixAreNone) {
  const Structure s = analyze(generate({"uniform", 0, 12, 5000, 5000, 1, {}}));
  EXPECT_EQ(s.dense_diagonals.diagonals, 0);
  EXPECT_EQ(s.dense_diagonals.nonzeros, 0);
  EXPECT_EQ(s.dense_diagonals.rest_rows, s.rows - s.empty_rows);
}

TEST(DenseBlocks, OfAMeshAreItsUnknownsPerPoint) {
  for (const int dof : {2, 3, 4, 5, 6}) {
    for (const std::int64_t rows : {600, 6000}) {
      const Structure s = analyze(blocks_of(dof, rows * dof), 2);
      EXPECT_EQ(s.dense_blocks.rows, dof) << rows;
      EXPECT_EQ(s.dense_blocks.cols % dof, 0) << rows;
      EXPECT_GT(s.dense_blocks.fill, 0.9) << rows;
      EXPECT_EQ(analyze(blocks_of(dof, rows * dof), 1).dense_blocks.blocks, s.dense_blocks.blocks);
    }
  }
}

TEST(DenseBlocks, NoneWhereNoShapeIsFilledWell) {
  for (const MatrixSpec& spec :
       {MatrixSpec{"uniform", 0, 12, 5000, 5000, 1, {}}, MatrixSpec{"poisson2d", 0, 0, 0, 0, 1, {.size = 60}}}) {
    const DenseBlocks blocks = analyze(generate(spec)).dense_blocks;
    EXPECT_EQ(blocks.rows, 0) << spec.kind;
    EXPECT_EQ(blocks.cols, 0) << spec.kind;
    EXPECT_EQ(blocks.blocks, 0) << spec.kind;
  }
}

TEST(ValueSymmetry, IsFoundOnAnyNumberOfThreads) {
  for (const int threads : {1, 2, 5}) {
    const ValueSymmetry symmetry = matrix::value_symmetry(grid(50), threads);
    EXPECT_EQ(symmetry.symmetric, 1);
    EXPECT_EQ(symmetry.diagonal, 2500);
  }
}

TEST(ValueSymmetry, OneValueOrOneEntryRefutesIt) {
  const Matrix matrix = grid(50);
  for (const int threads : {1, 3}) {
    int diagonal = 0;
    for (std::int64_t entry = 3; entry < matrix.nonzeros(); entry += 1234) {
      const bool on_diagonal = matrix.visit([&](const auto& csr) {
        const auto row = std::upper_bound(csr.row_pointers.begin(), csr.row_pointers.end(), entry) - 1;
        return csr.column_indices[entry] == row - csr.row_pointers.begin();
      });
      diagonal += on_diagonal ? 1 : 0;
      const int expected = on_diagonal ? 1 : 0;
      EXPECT_EQ(matrix::value_symmetry(with_change(matrix, entry, false), threads).symmetric, expected) << entry;
      EXPECT_EQ(matrix::value_symmetry(with_change(matrix, entry, true), threads).symmetric, expected) << entry;
    }
    EXPECT_LT(diagonal, 9);
  }
}

TEST(ValueSymmetry, IsPresumedFromASampleThatOneEntryEscapes) {
  const Matrix matrix = grid(50);
  EXPECT_EQ(matrix::presumed_symmetry(matrix).symmetric, 1);
  EXPECT_EQ(matrix::presumed_symmetry(matrix).diagonal, 2500);
  int refuted = 0;
  for (std::int64_t entry = 3; entry < matrix.nonzeros(); entry += 1234)
    refuted += matrix::presumed_symmetry(with_change(matrix, entry, false)).symmetric == 0 ? 1 : 0;
  EXPECT_LT(refuted, 9) << "1,024 of the 12,300 entries are looked up";
  EXPECT_EQ(matrix::presumed_symmetry(generate({"uniform", 0, 5, 400, 400, 1, {}})).symmetric, 0);
}

TEST(ValueSymmetry, ARectangleHasNone) {
  EXPECT_EQ(analyze(generate({"uniform", 0, 5, 400, 300, 1, {}})).symmetry.symmetric, 0);
}

TEST(Forms, AreKeptInJsonAndUnknownInOlderDocuments) {
  const Structure s = analyze(blocks_of(3, 900));
  auto json = matrix::structure_to_json(s);
  const Structure again = matrix::structure_from_json(json);
  EXPECT_EQ(again.dense_diagonals.diagonals, s.dense_diagonals.diagonals);
  EXPECT_EQ(again.dense_diagonals.rest_rows, s.dense_diagonals.rest_rows);
  EXPECT_EQ(again.dense_blocks.rows, 3);
  EXPECT_EQ(again.dense_blocks.blocks, s.dense_blocks.blocks);
  EXPECT_EQ(again.symmetry.symmetric, 1);
  EXPECT_EQ(again.symmetry.diagonal, s.symmetry.diagonal);
  for (const char* key : {"dense_diagonals", "dense_blocks", "symmetry"}) json.erase(key);
  const Structure older = matrix::structure_from_json(json);
  EXPECT_LT(older.dense_diagonals.diagonals, 0);
  EXPECT_LT(older.dense_blocks.rows, 0);
  EXPECT_LT(older.symmetry.symmetric, 0);
}

TEST(Forms, ThatContradictTheMatrixAreRefused) {
  const auto json = matrix::structure_to_json(analyze(blocks_of(3, 900)));
  const auto with = [&](const char* form, const char* field, const nlohmann::ordered_json& value) {
    auto copy = json;
    copy[form][field] = value;
    return copy;
  };
  EXPECT_THROW((void)matrix::structure_from_json(with("dense_diagonals", "nonzeros", INT64_MAX)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("dense_diagonals", "rest_rows", 901)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("dense_blocks", "rows", 9)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("dense_blocks", "cols", 1)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("dense_blocks", "blocks", 1)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("symmetry", "symmetric", 1)), Error);
  EXPECT_THROW((void)matrix::structure_from_json(with("symmetry", "diagonal", 901)), Error);
}

}  // namespace
}  // namespace sparsecast

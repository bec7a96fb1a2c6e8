#include <sparsecast/transpose.hpp>

#include <gtest/gtest.h>

#include <map>
#include <sparsecast/generate.hpp>
#include <utility>

namespace sparsecast {
namespace {

std::map<std::pair<std::int64_t, std::int64_t>, double> entries(const Matrix& matrix, bool swapped) {
  std::map<std::pair<std::int64_t, std::int64_t>, double> all;
  matrix.visit([&](const auto& csr) {
    for (std::int64_t r = 0; r < csr.rows; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
        const std::int64_t c = csr.column_indices[k];
        all[swapped ? std::pair{c, r} : std::pair{r, c}] = csr.values[k];
      }
  });
  return all;
}

TEST(Transpose, SwapsEveryEntry) {
  MatrixSpec spec;
  spec.kind = "random";
  spec.rows = 300;
  spec.cols = 170;
  spec.row_length = 5;
  const Matrix matrix = generate(spec), transposed = transpose(matrix);
  EXPECT_EQ(transposed.rows(), 170);
  EXPECT_EQ(transposed.cols(), 300);
  EXPECT_TRUE(transposed.is_canonical());
  EXPECT_EQ(entries(transposed, false), entries(matrix, true));
  EXPECT_EQ(entries(transpose(transposed), false), entries(matrix, false));
}

TEST(Transpose, TakesEmptyMatricesAndRows) {
  EXPECT_EQ(transpose(Matrix()).rows(), 0);
  Csr<std::int32_t, std::int32_t> hollow;
  hollow.rows = 3;
  hollow.cols = 2;
  hollow.row_pointers.assign(4, 0);
  const Matrix transposed = transpose(Matrix(std::move(hollow), "hollow"));
  EXPECT_EQ(transposed.rows(), 2);
  EXPECT_EQ(transposed.nonzeros(), 0);
  EXPECT_TRUE(transposed.is_canonical());
}

}  // namespace
}  // namespace sparsecast

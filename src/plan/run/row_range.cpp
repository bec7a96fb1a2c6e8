#include "plan/run/row_range.hpp"

#include <algorithm>
#include <type_traits>

#include "formats/parts/sizes.hpp"

namespace sparsecast::planning {

Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  if (first == 0 && last == matrix.rows()) return matrix;
  return matrix.visit([&](const auto& csr) {
    std::decay_t<decltype(csr)> rows;
    rows.rows = last - first;
    rows.cols = csr.cols;
    const auto begin = csr.row_pointers[first], end = csr.row_pointers[last];
    formats::allocate(rows.row_pointers, rows.rows + 1, "a block of rows");
    formats::allocate(rows.column_indices, end - begin, "a block of rows");
    formats::allocate(rows.values, end - begin, "a block of rows");
    for (std::int64_t row = 0; row <= rows.rows; ++row) rows.row_pointers[row] = csr.row_pointers[first + row] - begin;
    std::copy(csr.column_indices.begin() + begin, csr.column_indices.begin() + end, rows.column_indices.begin());
    std::copy(csr.values.begin() + begin, csr.values.begin() + end, rows.values.begin());
    return Matrix(std::move(rows), matrix.name());
  });
}

}  // namespace sparsecast::planning

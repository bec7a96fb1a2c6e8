#include "plan/run/row_range.hpp"

#include <memory>

#include "formats/parts/sizes.hpp"

namespace sparsecast::planning {
namespace {

template <class Offset>
struct RangeOwner {
  explicit RangeOwner(const Matrix& matrix) : whole(matrix) {}

  Matrix whole;
  Array<Offset> row_pointers;
};

}  // namespace

Matrix row_range(const Matrix& matrix, std::int64_t first, std::int64_t last) {
  if (first == 0 && last == matrix.rows()) return matrix;
  return matrix.visit([&]<class Value, class Offset, class Index>(const CsrSpans<Value, Offset, Index>& csr) {
    const auto owner = std::make_shared<RangeOwner<Offset>>(matrix);
    formats::allocate(owner->row_pointers, last - first + 1, "a block of rows");
    const Offset begin = csr.row_pointers[first], count = csr.row_pointers[last] - begin;
    for (std::int64_t row = first; row <= last; ++row) owner->row_pointers[row - first] = csr.row_pointers[row] - begin;
    const CsrView rows{.rows = last - first,
                       .cols = csr.cols,
                       .row_pointers = owner->row_pointers,
                       .column_indices = csr.column_indices.subspan(begin, count),
                       .values = csr.values.subspan(begin, count),
                       .owner = owner};
    return Matrix(rows, matrix.name(), CsrCheck::sizes);
  });
}

}  // namespace sparsecast::planning

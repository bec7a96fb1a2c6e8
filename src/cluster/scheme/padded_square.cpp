#include "cluster/scheme/padded_square.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast::cluster {
namespace {
template <class Offset, class Index>
Matrix padded(const Matrix& matrix, std::int64_t size) {
  Csr<Offset, Index> out;
  out.rows = out.cols = size;
  matrix.visit([&](const auto& csr) {
    out.row_pointers.resize(static_cast<std::size_t>(size) + 1);
    std::ranges::fill(out.row_pointers, static_cast<Offset>(csr.column_indices.size()));
    std::ranges::transform(csr.row_pointers, out.row_pointers.begin(), [](auto k) { return static_cast<Offset>(k); });
    out.column_indices.resize(csr.column_indices.size());
    std::ranges::transform(csr.column_indices, out.column_indices.begin(),
                           [](auto k) { return static_cast<Index>(k); });
    out.values.resize(csr.values.size());
    std::ranges::copy(csr.values, out.values.begin());
  });
  return {std::move(out), matrix.name()};
}
}  // namespace

Matrix padded_square(const Matrix& matrix) {
  if (matrix.rows() == matrix.cols()) return matrix;
  const std::int64_t size = std::max(matrix.rows(), matrix.cols());
  if (!Matrix::fits32(size)) return padded<std::int64_t, std::int64_t>(matrix, size);
  return Matrix::fits32(matrix.nonzeros()) ? padded<std::int32_t, std::int32_t>(matrix, size)
                                           : padded<std::int64_t, std::int32_t>(matrix, size);
}
}  // namespace sparsecast::cluster

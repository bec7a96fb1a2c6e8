#include <sparsecast/precision.hpp>
#include <sparsecast/transpose.hpp>

namespace sparsecast {
namespace {
template <class Offset, class Index, class Value, class... Widths>
Csr<Offset, Index> transposed(const CsrSpans<Value, Widths...>& csr) {
  Csr<Offset, Index> out;
  out.rows = csr.cols;
  out.cols = csr.rows;
  const auto rows = static_cast<std::size_t>(out.rows);
  const std::size_t nonzeros = csr.column_indices.size();
  out.row_pointers.assign(rows + 1, 0);
  out.column_indices.resize(nonzeros);
  out.values.resize(nonzeros);
  if constexpr (is_complex_value<Value>) out.imaginary.resize(nonzeros);
  for (const auto column : csr.column_indices) ++out.row_pointers[static_cast<std::size_t>(column) + 1];
  for (std::size_t r = 0; r < rows; ++r) out.row_pointers[r + 1] += out.row_pointers[r];
  // Rows of A are gone through in order, so that every row of Aᵀ has its columns ascending. The pointer of a row walks
  // to the next one's place and is put back afterwards.
  for (std::int64_t r = 0; r < csr.rows; ++r) {
    for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k) {
      const auto to = static_cast<std::size_t>(out.row_pointers[static_cast<std::size_t>(csr.column_indices[k])]++);
      out.column_indices[to] = static_cast<Index>(r);
      if constexpr (is_complex_value<Value>) {
        out.values[to] = static_cast<double>(csr.values[k].real());
        out.imaginary[to] = static_cast<double>(csr.values[k].imag());
      } else {
        out.values[to] = static_cast<double>(csr.values[k]);
      }
    }
  }
  for (std::size_t r = rows; r > 0; --r) out.row_pointers[r] = out.row_pointers[r - 1];
  out.row_pointers[0] = 0;
  return out;
}
}  // namespace

Matrix transpose(const Matrix& matrix) {
  const std::string name = matrix.name() + "ᵀ";
  return matrix.visit_any([&](const auto& csr) {
    const bool narrow = Matrix::fits32(csr.rows) && Matrix::fits32(csr.cols);
    if (!narrow) return Matrix(transposed<std::int64_t, std::int64_t>(csr), name);
    if (!Matrix::fits32(matrix.nonzeros())) return Matrix(transposed<std::int64_t, std::int32_t>(csr), name);
    return Matrix(transposed<std::int32_t, std::int32_t>(csr), name);
  });
}
}  // namespace sparsecast

#include "formats/csr.hpp"

#include <type_traits>

#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value>
std::int64_t CsrLayout<Value>::bytes() const {
  const std::int64_t indices = matrix.visit_pattern([](const auto& csr) {
    return static_cast<std::int64_t>(csr.row_pointers.size_bytes() + csr.column_indices.size_bytes());
  });
  return indices + matrix.nonzeros() * static_cast<std::int64_t>(sizeof(Value));
}

std::int64_t csr_bytes(const Structure& structure, int value_bytes) {
  // The widths of Matrix::Storage: 32-bit offsets only together with 32-bit columns.
  const std::int64_t column = Matrix::fits32(structure.cols) ? 4 : 8;
  const std::int64_t offset = column == 4 && Matrix::fits32(structure.nonzeros) ? 4 : 8;
  return saturating_sum(saturating_product(structure.rows + 1, offset),
                        saturating_product(structure.nonzeros, column + value_bytes));
}

template <class Value>
void CsrLayout<Value>::update(const Matrix& other, int threads) {
  matrix = other;
  using Other = std::conditional_t<std::is_same_v<Value, double>, float, double>;
  const auto* values = std::get_if<std::span<const Other>>(&matrix.values());
  if (values == nullptr) return;
  if (converted_values.empty()) allocate(converted_values, matrix.nonzeros(), "csr");
  // Dealt by rows as the products deal them, so that each part's memory is near the core that will read it.
  matrix.visit_pattern([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    for_each_part(threads, [&](int part) {
      const auto begin = csr.row_pointers[rows[part]], end = csr.row_pointers[rows[part + 1]];
      for (auto k = begin; k < end; ++k) converted_values[k] = static_cast<Value>((*values)[k]);
    });
  });
}

template <class Value>
CsrLayout<Value> to_csr(const Matrix& matrix, int threads) {
  CsrLayout<Value> layout;
  layout.update(matrix, threads);
  return layout;
}

template struct CsrLayout<float>;
template struct CsrLayout<double>;
template CsrLayout<float> to_csr(const Matrix&, int);
template CsrLayout<double> to_csr(const Matrix&, int);

}  // namespace sparsecast::formats

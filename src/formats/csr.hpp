#pragma once
// Compressed sparse rows: the Matrix's arrays, its own or borrowed. In the precision of its values nothing is converted
// and nothing copied; in the other one only the values are. Index and offset widths are those of the Matrix.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
/// The three arrays of a CSR matrix, owned elsewhere.
template <class Value, class OffsetType, class IndexType>
struct CsrArrays {
  using Offset = OffsetType;
  using Index = IndexType;
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  const Offset* row_pointers = nullptr;
  const Index* column_indices = nullptr;
  const Value* values = nullptr;
};

template <class Value>
struct CsrLayout {
  Matrix matrix;                  ///< keeps the aliased arrays alive
  Array<Value> converted_values;  ///< only where the Matrix's are of the other type

  /// Calls f with the CsrArrays of the index widths in use.
  template <class F>
  decltype(auto) visit(F&& f) const {
    const auto* aliased = std::get_if<std::span<const Value>>(&matrix.values());
    const Value* values = aliased != nullptr ? aliased->data() : converted_values.data();
    return matrix.visit_pattern([&]<class Offset, class Index>(const CsrPattern<Offset, Index>& csr) -> decltype(auto) {
      return f(CsrArrays<Value, Offset, Index>{csr.rows, csr.cols, csr.row_pointers.data(), csr.column_indices.data(),
                                               values});
    });
  }
  /// Takes the arrays of another matrix with as many rows, columns and non-zeros; converted values go where those
  /// before were.
  void update(const Matrix& other, int threads);
  /// Of the three arrays, aliased ones included.
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t csr_bytes(const Structure& structure, int value_bytes);
template <class Value>
[[nodiscard]] CsrLayout<Value> to_csr(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats

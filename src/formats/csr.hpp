#pragma once
// Compressed sparse rows: the Matrix's own arrays. In double nothing is converted and the arrays are the Matrix's; in
// float only the values are copied. Index and offset widths are those of the Matrix.

#include <cstdint>
#include <sparsecast/array.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <type_traits>

namespace sparsecast::formats {

/// The three arrays of a CSR matrix, owned elsewhere.
template <class Value, class OffsetType, class IndexType>
struct CsrView {
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
  Matrix matrix;               ///< keeps the aliased arrays alive
  Array<float> single_values;  ///< only in float

  /// Calls f with the CsrView of the index widths in use.
  template <class F>
  decltype(auto) visit(F&& f) const {
    return matrix.visit([&](const auto& csr) -> decltype(auto) {
      using C = std::decay_t<decltype(csr)>;
      const Value* values = nullptr;
      if constexpr (std::is_same_v<Value, double>) {
        values = csr.values.data();
      } else {
        values = single_values.data();
      }
      return f(CsrView<Value, typename C::Offset, typename C::Index>{csr.rows, csr.cols, csr.row_pointers.data(),
                                                                     csr.column_indices.data(), values});
    });
  }
  /// Of the three arrays, aliased ones included.
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t csr_bytes(const Structure& structure, int value_bytes);
template <class Value>
[[nodiscard]] CsrLayout<Value> to_csr(const Matrix& matrix, int threads);

}  // namespace sparsecast::formats

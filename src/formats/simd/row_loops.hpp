#pragma once
// Plain loops over the rows of CSR, and what the compiler makes of them for a set of instructions.

#include "formats/simd/complex_sums.hpp"
#include "formats/simd/prefetch.hpp"

namespace sparsecast::formats {
// Independent sums hide the latency of the additions: four, or two of complex values, which are two each.
template <class Value, class Index>
SPARSECAST_INLINE Value sum(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  Value s0 = 0, s1 = 0;
  std::int64_t k = 0;
  if constexpr (is_complex_value<Value>) {
    for (; k + 2 <= count; k += 2) {
      prefetch_stream(values + k, columns + k);
      s0 = multiply_add(values[k], x[columns[k]], s0);
      s1 = multiply_add(values[k + 1], x[columns[k + 1]], s1);
    }
    if (k < count) s0 = multiply_add(values[k], x[columns[k]], s0);
    return s0 + s1;
  } else {
    Value s2 = 0, s3 = 0;
    for (; k + 4 <= count; k += 4) {
      prefetch_stream(values + k, columns + k);
      s0 += values[k] * x[columns[k]];
      s1 += values[k + 1] * x[columns[k + 1]];
      s2 += values[k + 2] * x[columns[k + 2]];
      s3 += values[k + 3] * x[columns[k + 3]];
    }
    for (; k < count; ++k) s0 += values[k] * x[columns[k]];
    return (s0 + s1) + (s2 + s3);
  }
}

template <class View, class Value>
SPARSECAST_INLINE void sum_rows(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t begin = csr.row_pointers[row];
    y[row] = sum(csr.values + begin, csr.column_indices + begin, csr.row_pointers[row + 1] - begin, x);
  }
}

template <class View, class Value>
SPARSECAST_INLINE Value sum_part(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  return sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
}

template <class Value, class Offset, class Index>
RowSums<Value, Offset, Index> compiled_row_sums(Simd simd) {
  using View = CsrArrays<Value, Offset, Index>;
  return {compiled_for<sum_rows<View, Value>>(simd), compiled_for<sum_part<View, Value>>(simd)};
}
}  // namespace sparsecast::formats

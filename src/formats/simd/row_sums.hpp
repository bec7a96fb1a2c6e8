#pragma once
// The inner loops of the CSR kernels, in the versions of simd.hpp.

#include "formats/csr.hpp"
#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
template <class Value, class Offset, class Index>
struct RowSums {
  using View = CsrArrays<Value, Offset, Index>;
  /// y[r] = Σ a(r, c)·x[c] for first ≤ r < last.
  void (*rows)(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y);
  /// The same sum over the non-zeros begin … end − 1, which belong to one row.
  Value (*part)(const View& csr, std::int64_t begin, std::int64_t end, const Value* x);
};

template <class Value, class Offset, class Index>
[[nodiscard]] RowSums<Value, Offset, Index> row_sums(Simd simd = best_simd());

// The inner loops of the COO kernel, in the versions of simd.hpp.

template <class Value, class Index>
struct SegmentSums {
  /// Σ values[k]·x[columns[k]], all of one row.
  Value (*run)(const Value* values, const Index* columns, std::int64_t count, const Value* x);
  /// y[rows[k]] += values[k]·x[columns[k]]; rows ascend.
  void (*add)(const Index* rows, const Index* columns, const Value* values, std::int64_t count, const Value* x,
              Value* y);
};

template <class Value, class Index>
[[nodiscard]] SegmentSums<Value, Index> segment_sums(Simd simd = best_simd());
}  // namespace sparsecast::formats

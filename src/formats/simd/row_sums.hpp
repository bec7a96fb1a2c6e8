#pragma once
// The inner loops of the CSR kernels, in the versions of simd.hpp.

#include <cstdint>

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

}  // namespace sparsecast::formats

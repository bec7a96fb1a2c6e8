#pragma once
// The inner loop of CSR-SYM, in the versions of simd.hpp. An entry is read once and added twice; the columns of a row
// are distinct, so that its additions to y do not meet.

#include <cstdint>

#include "formats/simd/simd.hpp"
#include "formats/structured/csr_sym.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
struct MirroredSums {
  /// Rows first … last − 1 in ascending order: y[r] becomes the row's sum over its stored entries, and every entry
  /// (r, c) adds a·x[r] to y[c], or to far[c] where c < first, which is not these rows'.
  void (*rows)(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x, Value* y,
               Value* far);
};

template <class Value, class Index>
[[nodiscard]] MirroredSums<Value, Index> mirrored_sums(Simd simd = best_simd());

}  // namespace sparsecast::formats

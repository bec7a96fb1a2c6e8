#pragma once
// The inner loops of CSR-SYM and SELL-SYM, in the versions of simd.hpp. An entry is read once and added twice.

#include <cstdint>

#include "formats/simd/simd.hpp"
#include "formats/structured/csr_sym.hpp"
#include "formats/structured/sell_sym.hpp"

namespace sparsecast::formats {

/// y = alpha·A·x + beta·y. `far` takes what is added to rows that are not the caller's.
template <class Value>
struct MirroredTask {
  const Value* x = nullptr;
  Value* y = nullptr;
  Value* far = nullptr;
  Value alpha = 1, beta = 0;
};

template <class Value, class Index>
struct MirroredSums {
  /// Rows first … last − 1 in ascending order: y[r] becomes the row's sum over its stored entries, and every entry
  /// (r, c) adds a·x[r] to y[c], or to far[c] where c < first, which is not these rows'. The columns of a row are
  /// distinct, so that its additions to y do not meet.
  void (*rows)(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x, Value* y,
               Value* far);
  /// The same of rows that windows begin and end with, scaled.
  void (*slices)(const SellSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                 const MirroredTask<Value>& task);
};

template <class Value, class Index>
[[nodiscard]] MirroredSums<Value, Index> mirrored_sums(Simd simd = best_simd());

}  // namespace sparsecast::formats

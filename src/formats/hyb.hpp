#pragma once
// HYB: the first K non-zeros of every row in ELL, the rest in COO (Bell & Garland 2009, section 4.4). K follows from
// hyb_split() alone, here as in every forecast.

#include "formats/coo.hpp"
#include "formats/ell.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
struct Hyb {
  Ell<Value, Index> regular;   ///< width K; may be 0
  Coo<Value, Index> overflow;  ///< the non-zeros beyond column K of their row

  [[nodiscard]] std::int64_t bytes() const { return regular.bytes() + overflow.bytes(); }
};

[[nodiscard]] std::int64_t hyb_bytes(const Structure& structure, int value_bytes);
/// Index must hold rows and cols.
template <class Value, class Index>
[[nodiscard]] Hyb<Value, Index> to_hyb(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats

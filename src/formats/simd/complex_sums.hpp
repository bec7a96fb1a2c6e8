#pragma once
// The inner loops of the kernels that multiply complex values, in the versions of simd.hpp. A product by real and
// imaginary parts takes no look at whether a part is not a number, as std::complex does: it is one where a part of
// either factor is.

#include "formats/simd/lane_sums.hpp"
#include "formats/simd/row_sums.hpp"

namespace sparsecast::formats {
/// Those of row_sums() and lane_sums() for std::complex<float> and <double>. Of LaneSums those of `sell`
/// alone: `slices`, with `full` as there, and `slice`.
template <class Value, class Offset, class Index>
[[nodiscard]] RowSums<Value, Offset, Index> complex_row_sums(Simd simd);
template <class Value, class Index>
[[nodiscard]] LaneSums<Value, Index> complex_lane_sums(Simd simd);

/// sums[i] = Σ over the blocks of a group of rows, `height` ≤ 8, column by column as BSR has them.
template <class Value, class Index>
using ComplexGroup = void (*)(const Value* values, const Index* columns, std::int64_t blocks, std::int64_t height,
                              std::int64_t width, const Value* x, Value* sums);
template <class Value, class Index>
[[nodiscard]] ComplexGroup<Value, Index> complex_group(Simd simd);

/// sum + a·b.
template <class Part>
SPARSECAST_INLINE std::complex<Part> multiply_add(std::complex<Part> a, std::complex<Part> b, std::complex<Part> sum) {
  return {sum.real() + a.real() * b.real() - a.imag() * b.imag(),
          sum.imag() + a.real() * b.imag() + a.imag() * b.real()};
}
template <class Real>
SPARSECAST_INLINE Real multiply_add(Real a, Real b, Real sum) {
  return sum + a * b;
}
/// a·b of numbers of either kind.
template <class Value>
SPARSECAST_INLINE Value times(Value a, Value b) {
  if constexpr (is_complex_value<Value>) {
    return multiply_add(a, b, Value{});
  } else {
    return a * b;
  }
}
/// factor·x, where a factor without an imaginary part scales both parts: a complex product of 1 and an infinity is no
/// infinity but a NaN in its other part, and a product by 1 is x.
template <class Value>
SPARSECAST_INLINE Value scaled_by(Value factor, Value x) {
  if constexpr (is_complex_value<Value>) {
    if (factor.imag() == 0) return {factor.real() * x.real(), factor.real() * x.imag()};
  }
  return times(factor, x);
}
/// alpha·product + beta·y; without y where beta is 0, since that may hold anything.
template <class Value>
SPARSECAST_INLINE Value scaled_sum(Value alpha, Value product, Value beta, Value y) {
  const Value scaled = scaled_by(alpha, product);
  if (beta == Value{0}) return scaled;
  if constexpr (is_complex_value<Value>) return scaled + scaled_by(beta, y);
  return multiply_add(beta, y, scaled);
}
}  // namespace sparsecast::formats

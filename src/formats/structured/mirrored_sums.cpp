#include "formats/structured/mirrored_sums.hpp"

#include "formats/parts/padding_value.hpp"
#include "formats/simd/prefetch.hpp"

namespace sparsecast::formats {
namespace {

// Two sums hide the latency of the additions. y has no line in common with values and columns; said by reading ahead of
// the stores.
template <class Value, class Index>
SPARSECAST_INLINE Value mirror(const Value* values, const Index* columns, std::int64_t count, Value of_row,
                               const Value* x, Value* y) {
  Value even = 0, odd = 0;
  std::int64_t k = 0;
  for (; k + 4 <= count; k += 4) {
    prefetch_stream(values + k, columns + k);
    const Index c0 = columns[k], c1 = columns[k + 1], c2 = columns[k + 2], c3 = columns[k + 3];
    const Value a0 = values[k], a1 = values[k + 1], a2 = values[k + 2], a3 = values[k + 3];
    even += a0 * x[c0];
    odd += a1 * x[c1];
    even += a2 * x[c2];
    odd += a3 * x[c3];
    y[c0] += a0 * of_row;
    y[c1] += a1 * of_row;
    y[c2] += a2 * of_row;
    y[c3] += a3 * of_row;
  }
  for (; k < count; ++k) {
    even += values[k] * x[columns[k]];
    y[columns[k]] += values[k] * of_row;
  }
  return even + odd;
}

template <class Value, class Index>
SPARSECAST_INLINE void mirror_rows(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                   const Value* x, Value* y, Value* far) {
  const Value* values = sym.values.data();
  const Index* columns = sym.column_indices.data();
  const std::int64_t* pointers = sym.row_pointers.data();
  const Value* diagonal = sym.diagonal.data();
  for (std::int64_t row = first; row < last; ++row) {
    std::int64_t k = pointers[row];
    const std::int64_t end = pointers[row + 1];
    const Value of_row = x[row];
    Value sum = is_padding(diagonal[row]) ? Value{0} : diagonal[row] * of_row;
    if (k < end && columns[k] < first) {
      std::int64_t near = k;
      while (near < end && columns[near] < first) ++near;
      sum += mirror(values + k, columns + k, near - k, of_row, x, far);
      k = near;
    }
    y[row] = sum + mirror(values + k, columns + k, end - k, of_row, x, y);
  }
}

template <class Value, class Index>
void rows_portable(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x, Value* y,
                   Value* far) {
  mirror_rows(sym, first, last, x, y, far);
}

#if SPARSECAST_X86
template <class Value, class Index>
SPARSECAST_AVX2 void rows_avx2(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x,
                               Value* y, Value* far) {
  mirror_rows(sym, first, last, x, y, far);
}
#endif

}  // namespace

template <class Value, class Index>
MirroredSums<Value, Index> mirrored_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd != Simd::portable) return {rows_avx2<Value, Index>};
#endif
  static_cast<void>(simd);
  return {rows_portable<Value, Index>};
}

template MirroredSums<float, std::int32_t> mirrored_sums(Simd);
template MirroredSums<float, std::int64_t> mirrored_sums(Simd);
template MirroredSums<double, std::int32_t> mirrored_sums(Simd);
template MirroredSums<double, std::int64_t> mirrored_sums(Simd);

}  // namespace sparsecast::formats

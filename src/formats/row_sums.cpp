#include "formats/row_sums.hpp"

#include <type_traits>

#include "formats/wide.hpp"

namespace sparsecast {
namespace {

// A vector loop's prologue and epilogue do not pay below this many non-zeros in a row.
constexpr std::int64_t short_row = 12;

template <class Value, class Index>
SPARSECAST_INLINE Value sum(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  Value total = 0;
  if (count < short_row) {
    for (std::int64_t k = 0; k < count; ++k) total += values[k] * x[columns[k]];
  } else {
#pragma omp simd reduction(+ : total)
    for (std::int64_t k = 0; k < count; ++k) total += values[k] * x[columns[k]];
  }
  return total;
}

template <class View, class Value>
SPARSECAST_INLINE void sum_rows(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t begin = csr.row_pointers[row];
    y[row] = sum(csr.values + begin, csr.column_indices + begin, csr.row_pointers[row + 1] - begin, x);
  }
}

template <class View, class Value>
void rows_portable(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  sum_rows(csr, first, last, x, y);
}
template <class View, class Value>
Value part_portable(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  return sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
}

#if SPARSECAST_X86
template <class View, class Value>
SPARSECAST_AVX2 void rows_avx2(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  sum_rows(csr, first, last, x, y);
}
template <class View, class Value>
SPARSECAST_AVX2 Value part_avx2(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  return sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
}

template <class Value>
SPARSECAST_WIDE Value wide_sum(const Value* values, const std::int32_t* columns, std::int64_t count, const Value* x) {
  using W = Wide<Value>;
  std::int64_t k = 0;
  typename W::Values s0 = W::zero();
  if (count >= 4 * W::lanes) {
    typename W::Values s1 = W::zero(), s2 = W::zero(), s3 = W::zero();
    for (; k + 4 * W::lanes <= count; k += 4 * W::lanes) {
      s0 = W::multiply_add(W::load(values + k), W::gather(W::columns(columns + k), x), s0);
      s1 = W::multiply_add(W::load(values + k + W::lanes), W::gather(W::columns(columns + k + W::lanes), x), s1);
      s2 =
          W::multiply_add(W::load(values + k + 2 * W::lanes), W::gather(W::columns(columns + k + 2 * W::lanes), x), s2);
      s3 =
          W::multiply_add(W::load(values + k + 3 * W::lanes), W::gather(W::columns(columns + k + 3 * W::lanes), x), s3);
    }
    s0 = W::add(W::add(s0, s1), W::add(s2, s3));
  }
  for (; k + W::lanes <= count; k += W::lanes)
    s0 = W::multiply_add(W::load(values + k), W::gather(W::columns(columns + k), x), s0);
  if (k < count) {
    const typename W::Mask rest = W::first(count - k);
    s0 = W::multiply_add(W::load(rest, values + k), W::gather(rest, W::columns(rest, columns + k), x), s0);
  }
  return W::total(s0);
}

template <class View, class Value>
SPARSECAST_AVX512 void rows_avx512(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  if constexpr (std::is_same_v<typename View::Index, std::int32_t>) {
    for (std::int64_t row = first; row < last; ++row) {
      const std::int64_t begin = csr.row_pointers[row], count = csr.row_pointers[row + 1] - begin;
      if (count < short_row) {
        y[row] = sum(csr.values + begin, csr.column_indices + begin, count, x);
      } else {
        y[row] = wide_sum(csr.values + begin, csr.column_indices + begin, count, x);
      }
    }
  } else {
    sum_rows(csr, first, last, x, y);
  }
}
template <class View, class Value>
SPARSECAST_AVX512 Value part_avx512(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  if constexpr (std::is_same_v<typename View::Index, std::int32_t>) {
    return wide_sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
  } else {
    return sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
  }
}
#endif

}  // namespace

template <class Value, class Offset, class Index>
RowSums<Value, Offset, Index> row_sums(Simd simd) {
  using View = CsrView<Value, Offset, Index>;
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {rows_avx512<View, Value>, part_avx512<View, Value>};
  if (simd == Simd::avx2) return {rows_avx2<View, Value>, part_avx2<View, Value>};
#endif
  static_cast<void>(simd);
  return {rows_portable<View, Value>, part_portable<View, Value>};
}

template RowSums<float, std::int32_t, std::int32_t> row_sums(Simd);
template RowSums<float, std::int64_t, std::int32_t> row_sums(Simd);
template RowSums<float, std::int64_t, std::int64_t> row_sums(Simd);
template RowSums<double, std::int32_t, std::int32_t> row_sums(Simd);
template RowSums<double, std::int64_t, std::int32_t> row_sums(Simd);
template RowSums<double, std::int64_t, std::int64_t> row_sums(Simd);

}  // namespace sparsecast

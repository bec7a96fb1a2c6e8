#include "formats/structured/mirrored_sums.hpp"

#include <type_traits>

#include "formats/parts/padding_value.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/wide.hpp"

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

// Rows first … last − 1 of those from `border` on.
template <class Value, class Index>
SPARSECAST_INLINE void mirror_rows(const CsrSym<Value, Index>& sym, std::int64_t border, std::int64_t first,
                                   std::int64_t last, const Value* x, Value* y, Value* far) {
  const Value* values = sym.values.data();
  const Index* columns = sym.column_indices.data();
  const std::int64_t* pointers = sym.row_pointers.data();
  const Value* diagonal = sym.diagonal.data();
  for (std::int64_t row = first; row < last; ++row) {
    std::int64_t k = pointers[row];
    const std::int64_t end = pointers[row + 1];
    const Value of_row = x[row];
    Value sum = is_padding(diagonal[row]) ? Value{0} : diagonal[row] * of_row;
    if (k < end && columns[k] < border) {
      std::int64_t near = k;
      while (near < end && columns[near] < border) ++near;
      sum += mirror(values + k, columns + k, near - k, of_row, x, far);
      k = near;
    }
    y[row] = sum + mirror(values + k, columns + k, end - k, of_row, x, y);
  }
}

template <class Value, class Index>
void rows_portable(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x, Value* y,
                   Value* far) {
  mirror_rows(sym, first, first, last, x, y, far);
}

#if SPARSECAST_X86
template <class Value, class Index>
SPARSECAST_AVX2 void rows_avx2(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last, const Value* x,
                               Value* y, Value* far) {
  mirror_rows(sym, first, first, last, x, y, far);
}

// Four entries at a time with AVX-512's masks.
template <class Value>
struct Quad;
template <>
struct Quad<double> {
  using Values = __m256d;
  SPARSECAST_WIDE Values all(double value) { return _mm256_set1_pd(value); }
  SPARSECAST_WIDE Values load(const double* from) { return _mm256_loadu_pd(from); }
  SPARSECAST_WIDE Values pick(const std::int32_t* c, const double* x) {
    return _mm256_set_pd(x[c[3]], x[c[2]], x[c[1]], x[c[0]]);
  }
  SPARSECAST_WIDE Values add_product(Values a, Values b, Values sum, __mmask8 mask) {
    return _mm256_mask3_fmadd_pd(a, b, sum, mask);
  }
  SPARSECAST_WIDE Values product_or(Values other, __mmask8 mask, Values a, Values b) {
    return _mm256_mask_mul_pd(other, mask, a, b);
  }
  SPARSECAST_WIDE void store(double* to, Values values) { _mm256_store_pd(to, values); }
};
template <>
struct Quad<float> {
  using Values = __m128;
  SPARSECAST_WIDE Values all(float value) { return _mm_set1_ps(value); }
  SPARSECAST_WIDE Values load(const float* from) { return _mm_loadu_ps(from); }
  SPARSECAST_WIDE Values pick(const std::int32_t* c, const float* x) {
    return _mm_set_ps(x[c[3]], x[c[2]], x[c[1]], x[c[0]]);
  }
  SPARSECAST_WIDE Values add_product(Values a, Values b, Values sum, __mmask8 mask) {
    return _mm_mask3_fmadd_ps(a, b, sum, mask);
  }
  SPARSECAST_WIDE Values product_or(Values other, __mmask8 mask, Values a, Values b) {
    return _mm_mask_mul_ps(other, mask, a, b);
  }
  SPARSECAST_WIDE void store(float* to, Values values) { _mm_store_ps(to, values); }
};

// The same by quads, of which the last may end with entries of the next rows: the sum leaves those out, and what they
// add to y is −0, which changes nothing. No branch asks how many entries are left over, which on rows of a mesh is a
// wrong guess for almost every row.
template <class Value>
SPARSECAST_WIDE Value mirror_quads(const Value* values, const std::int32_t* columns, std::int64_t count, Value of_row,
                                   const Value* x, Value* y) {
  using Q = Quad<Value>;
  const typename Q::Values row = Q::all(of_row), nothing = Q::all(padding_value<Value>);
  typename Q::Values sum = Q::all(0);
  alignas(32) Value lanes[4];
  for (std::int64_t k = 0; k < count; k += 4) {
    prefetch_stream(values + k, columns + k);
    const std::int64_t left = count - k;
    const auto mask = static_cast<__mmask8>(_bzhi_u32(0xfU, static_cast<unsigned>(left < 4 ? left : 4)));
    const typename Q::Values a = Q::load(values + k);
    sum = Q::add_product(a, Q::pick(columns + k, x), sum, mask);
    Q::store(lanes, Q::product_or(nothing, mask, a, row));
    y[columns[k]] += lanes[0];
    y[columns[k + 1]] += lanes[1];
    y[columns[k + 2]] += lanes[2];
    y[columns[k + 3]] += lanes[3];
  }
  Q::store(lanes, sum);
  return (lanes[0] + lanes[1]) + (lanes[2] + lanes[3]);
}

template <class Value, class Index>
SPARSECAST_AVX512 void rows_avx512(const CsrSym<Value, Index>& sym, std::int64_t first, std::int64_t last,
                                   const Value* x, Value* y, Value* far) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    const Value* values = sym.values.data();
    const Index* columns = sym.column_indices.data();
    const std::int64_t* pointers = sym.row_pointers.data();
    const Value* diagonal = sym.diagonal.data();
    const std::int64_t entries = pointers[last];
    for (std::int64_t row = first; row < last; ++row) {
      std::int64_t k = pointers[row];
      const std::int64_t end = pointers[row + 1];
      // What a quad reads behind the row must be these rows', and add to these rows.
      const bool by_quads =
          end + 3 <= entries && (first == 0 || (columns[k] >= first && columns[end] >= first &&
                                                columns[end + 1] >= first && columns[end + 2] >= first));
      if (!by_quads) {
        mirror_rows(sym, first, row, row + 1, x, y, far);
        continue;
      }
      const Value of_row = x[row];
      const Value sum = is_padding(diagonal[row]) ? Value{0} : diagonal[row] * of_row;
      y[row] = sum + mirror_quads(values + k, columns + k, end - k, of_row, x, y);
    }
  } else {
    mirror_rows(sym, first, first, last, x, y, far);
  }
}
#endif

}  // namespace

template <class Value, class Index>
MirroredSums<Value, Index> mirrored_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {rows_avx512<Value, Index>};
  if (simd == Simd::avx2) return {rows_avx2<Value, Index>};
#endif
  static_cast<void>(simd);
  return {rows_portable<Value, Index>};
}

template MirroredSums<float, std::int32_t> mirrored_sums(Simd);
template MirroredSums<float, std::int64_t> mirrored_sums(Simd);
template MirroredSums<double, std::int32_t> mirrored_sums(Simd);
template MirroredSums<double, std::int64_t> mirrored_sums(Simd);

}  // namespace sparsecast::formats

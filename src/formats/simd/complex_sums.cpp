#include "formats/simd/complex_sums.hpp"

#include <algorithm>

#include "formats/parts/sizes.hpp"
#include "formats/simd/row_loops.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
template <class Value, class Index>
void sum_slice(const Value* values, const Index* columns, std::int64_t width, std::int64_t lanes, const Value* x,
               Value* y) {
  std::fill(y, y + lanes, Value{});
  for (std::int64_t k = 0; k < width; ++k, values += lanes, columns += lanes)
    for (std::int64_t i = 0; i < lanes; ++i)
      if (columns[i] >= 0) y[i] = multiply_add(values[i], x[columns[i]], y[i]);
}

constexpr std::int64_t slice_lanes = 8;

template <class Value, class Index>
SPARSECAST_INLINE void put_lanes(const SliceArrays<Value, Index>& sell, std::int64_t slice, const Value* sums,
                                 Value* y) {
  const std::int64_t row = slice * slice_lanes, count = std::min<std::int64_t>(slice_lanes, sell.rows - row);
  for (std::int64_t i = 0; i < count; ++i) y[sell.permutation[row + i]] = sums[i];
}

template <class Value, class Index>
SPARSECAST_INLINE void sum_slices(const SliceArrays<Value, Index>& sell, std::int64_t first, std::int64_t last,
                                  const Value* x, Value* y) {
  for (std::int64_t slice = first; slice < last; ++slice) {
    Value sums[slice_lanes];
    const std::int64_t begin = sell.pointers[slice], width = (sell.pointers[slice + 1] - begin) / slice_lanes;
    sum_slice(sell.values + begin, sell.columns + begin, width, slice_lanes, x, sums);
    put_lanes(sell, slice, sums, y);
  }
}

template <class Value, class Index>
void group_portable(const Value* values, const Index* columns, std::int64_t blocks, std::int64_t height,
                    std::int64_t width, const Value* x, Value* sums) {
  std::fill(sums, sums + height, Value{});
  for (std::int64_t b = 0; b < blocks; ++b)
    for (std::int64_t j = 0; j < width; ++j, values += height)
      for (std::int64_t i = 0; i < height; ++i) sums[i] = multiply_add(values[i], x[columns[b] + j], sums[i]);
}

#if SPARSECAST_X86
// Four complex numbers a register, and two sums of products with them: of the real parts of the values with x, and of
// their imaginary parts, which totals() turns by a quarter and adds. Masks have two bits a number.
template <class Value>
struct Fours;

template <>
struct Fours<std::complex<double>> {
  using Value = std::complex<double>;
  __m512d real, imaginary;

  SPARSECAST_WIDE Fours zero() { return {_mm512_setzero_pd(), _mm512_setzero_pd()}; }
  SPARSECAST_WIDE __m128d load(const Value* from) { return _mm_loadu_pd(reinterpret_cast<const double*>(from)); }
  SPARSECAST_WIDE __m512d pick(const Value* x0, const Value* x1, const Value* x2, const Value* x3) {
    __m512d b = _mm512_maskz_broadcast_f64x2(0x03, load(x0));
    b = _mm512_mask_broadcast_f64x2(b, 0x0c, load(x1));
    b = _mm512_mask_broadcast_f64x2(b, 0x30, load(x2));
    return _mm512_mask_broadcast_f64x2(b, 0xc0, load(x3));
  }
  SPARSECAST_WIDE __m512d spread(const Value* x) { return _mm512_maskz_broadcast_f64x2(0xff, load(x)); }
  SPARSECAST_WIDE void add(Fours& sums, __mmask8 mask, const Value* values, __m512d b) {
    const __m512d a = _mm512_maskz_loadu_pd(mask, reinterpret_cast<const double*>(values));
    sums.real = _mm512_mask3_fmadd_pd(_mm512_maskz_movedup_pd(0xff, a), b, sums.real, mask);
    sums.imaginary = _mm512_mask3_fmadd_pd(_mm512_maskz_permute_pd(0xff, a, 0xff), b, sums.imaginary, mask);
  }
  SPARSECAST_WIDE Fours both(const Fours& a, const Fours& b) {
    return {_mm512_add_pd(a.real, b.real), _mm512_add_pd(a.imaginary, b.imaginary)};
  }
  SPARSECAST_WIDE __m512d totals(const Fours& sums) {
    const __m512d turned = _mm512_maskz_permute_pd(0xff, sums.imaginary, 0x55);
    return _mm512_fmaddsub_pd(_mm512_set1_pd(1), sums.real, turned);
  }
  SPARSECAST_WIDE void store(const Fours& sums, Value* to) {
    _mm512_storeu_pd(reinterpret_cast<double*>(to), totals(sums));
  }
  SPARSECAST_WIDE Value total(const Fours& sums) {
    const __m512d all = totals(sums);
    const __m256d two =
        _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xf, all, 0), _mm512_maskz_extractf64x4_pd(0xf, all, 1));
    const __m128d one = _mm_add_pd(_mm256_castpd256_pd128(two), _mm256_extractf128_pd(two, 1));
    return {_mm_cvtsd_f64(one), _mm_cvtsd_f64(_mm_unpackhi_pd(one, one))};
  }
};

template <>
struct Fours<std::complex<float>> {
  using Value = std::complex<float>;
  __m256 real, imaginary;

  SPARSECAST_WIDE Fours zero() { return {_mm256_setzero_ps(), _mm256_setzero_ps()}; }
  SPARSECAST_WIDE double load(const Value* from) {
    double both;
    __builtin_memcpy(&both, from, sizeof both);
    return both;
  }
  SPARSECAST_WIDE __m256 pick(const Value* x0, const Value* x1, const Value* x2, const Value* x3) {
    return _mm256_castpd_ps(_mm256_set_pd(load(x3), load(x2), load(x1), load(x0)));
  }
  SPARSECAST_WIDE __m256 spread(const Value* x) { return _mm256_castpd_ps(_mm256_set1_pd(load(x))); }
  SPARSECAST_WIDE void add(Fours& sums, __mmask8 mask, const Value* values, __m256 b) {
    const __m256 a = _mm256_maskz_loadu_ps(mask, reinterpret_cast<const float*>(values));
    sums.real = _mm256_mask3_fmadd_ps(_mm256_moveldup_ps(a), b, sums.real, mask);
    sums.imaginary = _mm256_mask3_fmadd_ps(_mm256_movehdup_ps(a), b, sums.imaginary, mask);
  }
  SPARSECAST_WIDE Fours both(const Fours& a, const Fours& b) {
    return {_mm256_add_ps(a.real, b.real), _mm256_add_ps(a.imaginary, b.imaginary)};
  }
  SPARSECAST_WIDE __m256 totals(const Fours& sums) {
    return _mm256_addsub_ps(sums.real, _mm256_permute_ps(sums.imaginary, 0xb1));
  }
  SPARSECAST_WIDE void store(const Fours& sums, Value* to) {
    _mm256_storeu_ps(reinterpret_cast<float*>(to), totals(sums));
  }
  SPARSECAST_WIDE Value total(const Fours& sums) {
    const __m256 all = totals(sums);
    const __m128 two = _mm_add_ps(_mm256_castps256_ps128(all), _mm256_extractf128_ps(all, 1));
    const __m128 one = _mm_add_ps(two, _mm_movehl_ps(two, two));
    return {_mm_cvtss_f32(one), _mm_cvtss_f32(_mm_movehdup_ps(one))};
  }
};

template <class Value, class Index>
SPARSECAST_WIDE void add_four(Fours<Value>& sums, const Value* values, const Index* c, const Value* x) {
  Fours<Value>::add(sums, 0xff, values, Fours<Value>::pick(x + c[0], x + c[1], x + c[2], x + c[3]));
}
// One to three: x is read where the last of them is once more, and its lanes stay as they are.
template <class Value, class Index>
SPARSECAST_WIDE void add_rest(Fours<Value>& sums, const Value* values, const Index* c, std::int64_t count,
                              const Value* x) {
  const Value *x1 = x + c[count > 1 ? 1 : 0], *last = x + c[count - 1];
  const auto mask = static_cast<__mmask8>(_bzhi_u32(0xffU, static_cast<unsigned>(2 * count)));
  Fours<Value>::add(sums, mask, values, Fours<Value>::pick(x + c[0], x1, last, last));
}

// Nearer than real values are asked for: rows of 27 from beyond the last cache took 1.4 ns an entry at 8 KB ahead, 0.8
// at 2 KB and without (AMD EPYC guest, Zen 4).
constexpr std::int64_t ahead = 2048;

// Four lanes of a slice, of which padded ones (column −1) stay as they are.
template <class Value, class Index>
SPARSECAST_WIDE void add_filled(Fours<Value>& sums, const Value* values, const Index* c, const Value* x) {
  const Value* from[4];
  unsigned mask = 0;
  for (unsigned i = 0; i < 4; ++i) {
    from[i] = x + (c[i] < 0 ? 0 : c[i]);
    mask |= c[i] < 0 ? 0 : 3U << (2 * i);
  }
  Fours<Value>::add(sums, static_cast<__mmask8>(mask), values, Fours<Value>::pick(from[0], from[1], from[2], from[3]));
}

template <class Value, class Index>
SPARSECAST_WIDE Value wide_sum(const Value* values, const Index* columns, std::int64_t count, const Value* x) {
  using F = Fours<Value>;
  F s0 = F::zero(), s1 = F::zero();
  std::int64_t k = 0;
  for (; k + 8 <= count; k += 8) {
    prefetch(values + k, ahead);
    prefetch(values + k + 4, ahead);
    prefetch(columns + k, ahead / 4);
    add_four(s0, values + k, columns + k, x);
    add_four(s1, values + k + 4, columns + k + 4, x);
  }
  if (k + 4 <= count) {
    prefetch(values + k, ahead);
    add_four(s0, values + k, columns + k, x);
    k += 4;
  }
  if (k < count) add_rest(s1, values + k, columns + k, count - k, x);
  return F::total(F::both(s0, s1));
}

template <class View, class Value>
SPARSECAST_AVX512 void rows_avx512(const View& csr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  for (std::int64_t row = first; row < last; ++row) {
    const std::int64_t begin = csr.row_pointers[row];
    y[row] = wide_sum(csr.values + begin, csr.column_indices + begin, csr.row_pointers[row + 1] - begin, x);
  }
}
template <class View, class Value>
SPARSECAST_AVX512 Value part_avx512(const View& csr, std::int64_t begin, std::int64_t end, const Value* x) {
  return wide_sum(csr.values + begin, csr.column_indices + begin, end - begin, x);
}

template <class Value, class Index>
SPARSECAST_AVX512 void slices_avx512(const SliceArrays<Value, Index>& sell, std::int64_t first, std::int64_t last,
                                     const Value* x, Value* y) {
  using F = Fours<Value>;
  for (std::int64_t slice = first; slice < last; ++slice) {
    const std::int64_t begin = sell.pointers[slice], width = (sell.pointers[slice + 1] - begin) / slice_lanes;
    const std::int64_t full = sell.full[slice] >= every_column ? width : sell.full[slice];
    F low = F::zero(), high = F::zero();
    const Value* values = sell.values + begin;
    const Index* columns = sell.columns + begin;
    for (std::int64_t k = 0; k < full; ++k, values += slice_lanes, columns += slice_lanes) {
      prefetch(values, prefetch_bytes);
      prefetch(values + 4, prefetch_bytes);
      prefetch(columns, prefetch_bytes / 4);
      add_four(low, values, columns, x);
      add_four(high, values + 4, columns + 4, x);
    }
    for (std::int64_t k = full; k < width; ++k, values += slice_lanes, columns += slice_lanes) {
      prefetch(values, prefetch_bytes);
      prefetch(values + 4, prefetch_bytes);
      add_filled(low, values, columns, x);
      add_filled(high, values + 4, columns + 4, x);
    }
    alignas(64) Value out[slice_lanes];
    F::store(low, out);
    F::store(high, out + 4);
    put_lanes(sell, slice, out, y);
  }
}

// The rows of a block side by side, and an entry of x for all of them.
template <class Value>
SPARSECAST_WIDE void add_column(Fours<Value>& low, Fours<Value>& high, unsigned rows, const Value* values,
                                const Value* x) {
  const auto of_column = Fours<Value>::spread(x);
  prefetch(values, prefetch_bytes);
  Fours<Value>::add(low, static_cast<__mmask8>(rows), values, of_column);
  if (rows > 0xff) Fours<Value>::add(high, static_cast<__mmask8>(rows >> 8), values + 4, of_column);
}

// Columns in turn have sums of their own, which do not wait for each other.
template <class Value, class Index>
SPARSECAST_AVX512 void group_avx512(const Value* values, const Index* columns, std::int64_t blocks, std::int64_t height,
                                    std::int64_t width, const Value* x, Value* sums) {
  using F = Fours<Value>;
  const auto rows = static_cast<unsigned>(_bzhi_u32(0xffffU, static_cast<unsigned>(2 * height)));
  F low = F::zero(), high = F::zero(), low_of_odd = F::zero(), high_of_odd = F::zero();
  for (std::int64_t b = 0; b < blocks; ++b) {
    const Value* from = x + columns[b];
    std::int64_t j = 0;
    for (; j + 2 <= width; j += 2, values += 2 * height) {
      add_column(low, high, rows, values, from + j);
      add_column(low_of_odd, high_of_odd, rows, values + height, from + j + 1);
    }
    if (j < width) {
      add_column(low, high, rows, values, from + j);
      values += height;
    }
  }
  alignas(64) Value out[8];
  F::store(F::both(low, low_of_odd), out);
  F::store(F::both(high, high_of_odd), out + 4);
  std::copy(out, out + height, sums);
}
#endif
}  // namespace

template <class Value, class Index>
ComplexGroup<Value, Index> complex_group(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return group_avx512<Value, Index>;
#endif
  static_cast<void>(simd);
  return group_portable<Value, Index>;
}

template <class Value, class Offset, class Index>
RowSums<Value, Offset, Index> complex_row_sums(Simd simd) {
#if SPARSECAST_X86
  using View = CsrArrays<Value, Offset, Index>;
  if (simd == Simd::avx512) return {rows_avx512<View, Value>, part_avx512<View, Value>};
#endif
  return compiled_row_sums<Value, Offset, Index>(simd);
}

template <class Value, class Index>
LaneSums<Value, Index> complex_lane_sums(Simd simd) {
  LaneSums<Value, Index> sums{compiled_for<sum_slices<Value, Index>>(simd), sum_slice<Value, Index>, nullptr, nullptr,
                              nullptr};
#if SPARSECAST_X86
  if (simd == Simd::avx512) sums.slices = slices_avx512<Value, Index>;
#endif
  return sums;
}

#define SPARSECAST_INSTANTIATE(Value)                                         \
  template ComplexGroup<Value, std::int32_t> complex_group(Simd);             \
  template ComplexGroup<Value, std::int64_t> complex_group(Simd);             \
  template RowSums<Value, std::int32_t, std::int32_t> complex_row_sums(Simd); \
  template RowSums<Value, std::int64_t, std::int32_t> complex_row_sums(Simd); \
  template RowSums<Value, std::int64_t, std::int64_t> complex_row_sums(Simd); \
  template LaneSums<Value, std::int32_t> complex_lane_sums(Simd);             \
  template LaneSums<Value, std::int64_t> complex_lane_sums(Simd);
SPARSECAST_INSTANTIATE(std::complex<float>)
SPARSECAST_INSTANTIATE(std::complex<double>)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::formats

#pragma once
// The few AVX-512 operations that the kernels are made of, under the same names for float and double with 32-bit
// column indices. Only for inclusion by kernel sources.

#include "formats/simd.hpp"

#if SPARSECAST_X86
#include <immintrin.h>

#include <cstdint>

#define SPARSECAST_WIDE \
  __attribute__((target("avx2,fma,bmi2,avx512f,avx512vl,avx512dq,avx512bw"), always_inline)) static inline

namespace sparsecast {

template <class Value>
struct Wide;

template <>
struct Wide<double> {
  static constexpr int lanes = 8;
  using Values = __m512d;
  using Columns = __m256i;
  using Mask = __mmask8;
  SPARSECAST_WIDE Mask first(std::int64_t count) {
    return static_cast<Mask>(_bzhi_u32(0xffU, static_cast<unsigned>(count)));
  }
  SPARSECAST_WIDE Values zero() { return _mm512_setzero_pd(); }
  SPARSECAST_WIDE Values load(const double* from) { return _mm512_loadu_pd(from); }
  SPARSECAST_WIDE Values load(Mask mask, const double* from) { return _mm512_maskz_loadu_pd(mask, from); }
  SPARSECAST_WIDE void store(double* to, Values values) { _mm512_storeu_pd(to, values); }
  SPARSECAST_WIDE void store(Mask mask, double* to, Values values) { _mm512_mask_storeu_pd(to, mask, values); }
  SPARSECAST_WIDE Columns columns(const std::int32_t* from) {
    return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from));
  }
  SPARSECAST_WIDE Columns columns(Mask mask, const std::int32_t* from) { return _mm256_maskz_loadu_epi32(mask, from); }
  /// Lanes whose column is not padding (not negative).
  SPARSECAST_WIDE Mask filled(Columns columns) { return static_cast<Mask>(~_mm256_movepi32_mask(columns)); }
  SPARSECAST_WIDE Values gather(Columns columns, const double* x) { return gather(Mask{0xff}, columns, x); }
  /// 0 in the other lanes.
  SPARSECAST_WIDE Values gather(Mask mask, Columns columns, const double* x) {
    return _mm512_mask_i32gather_pd(_mm512_setzero_pd(), mask, columns, x, 8);
  }
  SPARSECAST_WIDE Values multiply(Values a, Values b) { return _mm512_mul_pd(a, b); }
  SPARSECAST_WIDE Values multiply_add(Values a, Values b, Values sum) { return _mm512_fmadd_pd(a, b, sum); }
  SPARSECAST_WIDE Values add(Values a, Values b) { return _mm512_add_pd(a, b); }
  SPARSECAST_WIDE double total(Values values) {
    const __m256d four =
        _mm256_add_pd(_mm512_maskz_extractf64x4_pd(0xf, values, 0), _mm512_maskz_extractf64x4_pd(0xf, values, 1));
    const __m128d two = _mm_add_pd(_mm256_castpd256_pd128(four), _mm256_extractf128_pd(four, 1));
    return _mm_cvtsd_f64(_mm_add_sd(two, _mm_unpackhi_pd(two, two)));
  }
};

template <>
struct Wide<float> {
  static constexpr int lanes = 16;
  using Values = __m512;
  using Columns = __m512i;
  using Mask = __mmask16;
  SPARSECAST_WIDE Mask first(std::int64_t count) {
    return static_cast<Mask>(_bzhi_u32(0xffffU, static_cast<unsigned>(count)));
  }
  SPARSECAST_WIDE Values zero() { return _mm512_setzero_ps(); }
  SPARSECAST_WIDE Values load(const float* from) { return _mm512_loadu_ps(from); }
  SPARSECAST_WIDE Values load(Mask mask, const float* from) { return _mm512_maskz_loadu_ps(mask, from); }
  SPARSECAST_WIDE void store(float* to, Values values) { _mm512_storeu_ps(to, values); }
  SPARSECAST_WIDE void store(Mask mask, float* to, Values values) { _mm512_mask_storeu_ps(to, mask, values); }
  SPARSECAST_WIDE Columns columns(const std::int32_t* from) { return _mm512_loadu_si512(from); }
  SPARSECAST_WIDE Columns columns(Mask mask, const std::int32_t* from) { return _mm512_maskz_loadu_epi32(mask, from); }
  SPARSECAST_WIDE Mask filled(Columns columns) { return static_cast<Mask>(~_mm512_movepi32_mask(columns)); }
  SPARSECAST_WIDE Values gather(Columns columns, const float* x) { return gather(Mask{0xffff}, columns, x); }
  SPARSECAST_WIDE Values gather(Mask mask, Columns columns, const float* x) {
    return _mm512_mask_i32gather_ps(_mm512_setzero_ps(), mask, columns, x, 4);
  }
  SPARSECAST_WIDE Values multiply(Values a, Values b) { return _mm512_mul_ps(a, b); }
  SPARSECAST_WIDE Values multiply_add(Values a, Values b, Values sum) { return _mm512_fmadd_ps(a, b, sum); }
  SPARSECAST_WIDE Values add(Values a, Values b) { return _mm512_add_ps(a, b); }
  SPARSECAST_WIDE float total(Values values) {
    const __m256 eight =
        _mm256_add_ps(_mm512_maskz_extractf32x8_ps(0xff, values, 0), _mm512_maskz_extractf32x8_ps(0xff, values, 1));
    const __m128 four = _mm_add_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    const __m128 two = _mm_add_ps(four, _mm_movehl_ps(four, four));
    return _mm_cvtss_f32(_mm_add_ss(two, _mm_movehdup_ps(two)));
  }
};

}  // namespace sparsecast
#endif

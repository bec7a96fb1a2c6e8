#include "formats/simd/slice_stores.hpp"

#include <type_traits>

#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
template <class From, class To, class Of>
SPARSECAST_INLINE void store_by_entry(const From* entries, const SliceRows& slice, To padding, To* to, const Of& of) {
  for (std::size_t i = 0; i < SliceRows::rows; ++i) {
    const From* from = entries + slice.from[i];
    To* slot = to + i;
    std::int64_t k = 0;
    for (; k < slice.length[i]; ++k, slot += SliceRows::rows) *slot = of(from[k]);
    for (; k < slice.width; ++k, slot += SliceRows::rows) *slot = padding;
  }
}

template <class Column>
void columns_by_entry(const std::int32_t* columns, const SliceRows& slice, std::int32_t base, Column* to) {
  store_by_entry(columns, slice, static_cast<Column>(-1), to,
                 [&](std::int32_t column) { return static_cast<Column>(column - base); });
}
template <class Value, class Stored>
void values_by_entry(const Value* values, const SliceRows& slice, Stored* to) {
  store_by_entry(values, slice, Stored{0}, to, [](Value value) { return static_cast<Stored>(value); });
}
template <class Value>
void codes_by_entry(const Value* values, const SliceRows& slice, const CodeTable& table, std::uint8_t* to) {
  store_by_entry(values, slice, std::uint8_t{0}, to, [&](Value value) { return table.code(value); });
}

#if SPARSECAST_X86
// Word c of row r, at 8·r + c of two registers, goes to 8·c + r.
alignas(64) constexpr std::array<std::uint16_t, 64> turned_words = [] {
  std::array<std::uint16_t, 64> words{};
  for (std::size_t at = 0; at < words.size(); ++at) words[at] = static_cast<std::uint16_t>(at % 8 * 8 + at / 8);
  return words;
}();

// Entries k to k + 7 of a row.
SPARSECAST_WIDE __mmask8 filled(const SliceRows& slice, int i, std::int64_t k) {
  const std::int64_t left = slice.length[static_cast<std::size_t>(i)] - k;
  return WideColumns::first(left < 0 ? 0 : left < 8 ? left : 8);  // which reads eight bits of the number
}
SPARSECAST_WIDE __m256i distances(const std::int32_t* columns, const SliceRows& slice, int i, std::int64_t k,
                                  __m256i base) {
  const __mmask8 mask = filled(slice, i, k);
  const __m256i read = WideColumns::columns(mask, columns + slice.from[static_cast<std::size_t>(i)] + k);
  return _mm256_mask_sub_epi32(_mm256_set1_epi32(-1), mask, read, base);
}
SPARSECAST_WIDE __m512i two(__m256i low, __m256i high) {
  return _mm512_maskz_inserti64x4(0xff, _mm512_castsi256_si512(low), high, 1);
}

SPARSECAST_AVX512 void near_avx512(const std::int32_t* columns, const SliceRows& slice, std::int32_t base,
                                   std::uint16_t* to) {
  const __m256i bases = _mm256_set1_epi32(base);
  const __m512i to_low = _mm512_load_si512(turned_words.data()), to_high = _mm512_load_si512(turned_words.data() + 32);
  for (std::int64_t k = 0; k < slice.width; k += 8, to += 64) {
    __m256i pairs[4];
    for (int i = 0; i < 4; ++i)
      pairs[i] = _mm512_maskz_cvtepi32_epi16(
          0xffff, two(distances(columns, slice, 2 * i, k, bases), distances(columns, slice, 2 * i + 1, k, bases)));
    const __m512i first = two(pairs[0], pairs[1]), second = two(pairs[2], pairs[3]);
    const __m512i a = _mm512_permutex2var_epi16(first, to_low, second);
    const std::int64_t left = slice.width - k;
    if (left >= 4) {
      _mm512_storeu_si512(to, a);
    } else {
      _mm512_mask_storeu_epi64(to, static_cast<__mmask8>((1U << 2 * left) - 1U), a);
      return;
    }
    const __m512i b = _mm512_permutex2var_epi16(first, to_high, second);
    const auto mask = static_cast<__mmask8>(left >= 8 ? 0xffU : (1U << 2 * (left - 4)) - 1U);
    _mm512_mask_storeu_epi64(to + 32, mask, b);
  }
}

SPARSECAST_AVX512 void far_avx512(const std::int32_t* columns, const SliceRows& slice, std::int32_t base,
                                  std::int32_t* to) {
  const __m256i bases = _mm256_set1_epi32(base);
  // Of two rows each: columns 0 to 3 of four rows, then 4 to 7; then a column of eight.
  const __m512i low = _mm512_setr_epi32(0, 8, 16, 24, 1, 9, 17, 25, 2, 10, 18, 26, 3, 11, 19, 27),
                high = _mm512_add_epi32(low, _mm512_set1_epi32(4));
  const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11),
                second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
  for (std::int64_t k = 0; k < slice.width; k += 8, to += 64) {
    __m512i rows[4];
    for (int i = 0; i < 4; ++i)
      rows[i] = two(distances(columns, slice, 2 * i, k, bases), distances(columns, slice, 2 * i + 1, k, bases));
    const __m512i a = _mm512_permutex2var_epi32(rows[0], low, rows[1]),
                  b = _mm512_permutex2var_epi32(rows[2], low, rows[3]);
    const __m512i c = _mm512_permutex2var_epi32(rows[0], high, rows[1]),
                  d = _mm512_permutex2var_epi32(rows[2], high, rows[3]);
    const __m512i turned[4] = {_mm512_permutex2var_epi64(a, first, b), _mm512_permutex2var_epi64(a, second, b),
                               _mm512_permutex2var_epi64(c, first, d), _mm512_permutex2var_epi64(c, second, d)};
    const std::int64_t left = slice.width - k;
    for (int i = 0; i < 4; ++i) {
      if (left <= 2 * i) break;
      _mm512_mask_storeu_epi64(to + 16 * i, left == 2 * i + 1 ? 0x0f : 0xff, turned[i]);
    }
  }
}

SPARSECAST_WIDE __m512d values_of(__mmask8 mask, const double* from) { return _mm512_maskz_loadu_pd(mask, from); }
SPARSECAST_WIDE void put(double* to, __m512d values) { _mm512_storeu_pd(to, values); }
SPARSECAST_WIDE void put(float* to, __m512d values) { _mm256_storeu_ps(to, _mm512_maskz_cvtpd_ps(0xff, values)); }

// Entries k to k + 7 of the rows, turned: columns[c] has the c-th of each.
SPARSECAST_WIDE void turn(const double* values, const SliceRows& slice, std::int64_t k, __m512d* columns) {
  __m512d r[8], pairs[8], fours[8];
  for (int i = 0; i < 8; ++i)
    r[i] = values_of(filled(slice, i, k), values + slice.from[static_cast<std::size_t>(i)] + k);
  for (int i = 0; i < 4; ++i) {
    pairs[2 * i] = _mm512_maskz_unpacklo_pd(0xff, r[2 * i], r[2 * i + 1]);
    pairs[2 * i + 1] = _mm512_maskz_unpackhi_pd(0xff, r[2 * i], r[2 * i + 1]);
  }
  // Quarters of pairs[p]: two rows of columns p % 2, p % 2 + 2, + 4, + 6.
  for (int odd = 0; odd < 2; ++odd)
    for (int half = 0; half < 2; ++half) {
      const __m512d upper = pairs[4 * half + odd], lower = pairs[4 * half + 2 + odd];
      fours[4 * half + odd] = _mm512_maskz_shuffle_f64x2(0xff, upper, lower, 0x88);      // columns odd, odd + 4
      fours[4 * half + 2 + odd] = _mm512_maskz_shuffle_f64x2(0xff, upper, lower, 0xdd);  // odd + 2, odd + 6
    }
  for (int c = 0; c < 4; ++c) {
    columns[c] = _mm512_maskz_shuffle_f64x2(0xff, fours[c], fours[4 + c], 0x88);
    columns[c + 4] = _mm512_maskz_shuffle_f64x2(0xff, fours[c], fours[4 + c], 0xdd);
  }
}

template <class Stored>
SPARSECAST_AVX512 void values_avx512(const double* values, const SliceRows& slice, Stored* to) {
  for (std::int64_t k = 0; k < slice.width; k += 8, to += 64) {
    __m512d columns[8];
    turn(values, slice, k, columns);
    const std::int64_t left = slice.width - k;
    for (int c = 0; c < 8; ++c)
      if (c < left) put(to + 8 * c, columns[c]);
  }
}

SPARSECAST_AVX512 void codes_avx512(const double* values, const SliceRows& slice, const CodeTable& table,
                                    std::uint8_t* to) {
  const __m512i factor = _mm512_set1_epi64(static_cast<long long>(table.factor));
  const __m128i shift = _mm_cvtsi32_si128(table.shift);
  for (std::int64_t k = 0; k < slice.width; k += 8, to += 64) {
    __m512d columns[8];
    turn(values, slice, k, columns);
    const std::int64_t count = slice.width - k < 8 ? slice.width - k : 8;
    for (std::int64_t c = 0; c < count; ++c) {
      alignas(64) std::array<std::uint64_t, 8> places;
      _mm512_store_si512(places.data(), _mm512_maskz_srl_epi64(
                                            0xff, _mm512_mullo_epi64(_mm512_castpd_si512(columns[c]), factor), shift));
      for (std::size_t i = 0; i < 8; ++i) to[8 * c + static_cast<std::int64_t>(i)] = table.codes[places[i]];
    }
  }
}
#endif
}  // namespace

template <class Column>
StoreColumns<Column> store_columns(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) {
    if constexpr (sizeof(Column) == 2)
      return near_avx512;
    else
      return far_avx512;
  }
#endif
  static_cast<void>(simd);
  return columns_by_entry<Column>;
}
template StoreColumns<std::uint16_t> store_columns(Simd);
template StoreColumns<std::int32_t> store_columns(Simd);

template <class Value, class Stored>
StoreValues<Value, Stored> store_values(Simd simd) {
#if SPARSECAST_X86
  if constexpr (std::is_same_v<Value, double>)
    if (simd == Simd::avx512) return values_avx512<Stored>;
#endif
  static_cast<void>(simd);
  return values_by_entry<Value, Stored>;
}
template StoreValues<double, double> store_values(Simd);
template StoreValues<double, float> store_values(Simd);
template StoreValues<float, float> store_values(Simd);
template StoreValues<float, double> store_values(Simd);

template <class Value>
StoreCodes<Value> store_codes(Simd simd) {
#if SPARSECAST_X86
  if constexpr (std::is_same_v<Value, double>)
    if (simd == Simd::avx512) return codes_avx512;
#endif
  static_cast<void>(simd);
  return codes_by_entry<Value>;
}
template StoreCodes<double> store_codes(Simd);
template StoreCodes<float> store_codes(Simd);
}  // namespace sparsecast::formats

#include "formats/simd/compact_sums.hpp"

#include <algorithm>
#include <cstring>

#include "base/small_floats.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
constexpr std::int64_t lanes = 8, slices_of_window = CompactStorage::window_rows / lanes;

template <StoredValues kind>
inline constexpr bool is_code = kind == StoredValues::sixteen || kind == StoredValues::codes;
template <StoredValues kind>
inline constexpr bool is_short = kind == StoredValues::half || kind == StoredValues::bfloat16;
template <StoredValues kind, class Value>
using Stored = std::conditional_t<
    is_code<kind>, std::uint8_t,
    std::conditional_t<is_short<kind>, std::uint16_t, std::conditional_t<kind == StoredValues::single, float, Value>>>;

// The values of the slots from `slot` on.
template <StoredValues kind, class Value>
SPARSECAST_INLINE const Stored<kind, Value>* stored_at(const SellCompact<Value>& sell, std::int64_t slot) {
  return reinterpret_cast<const Stored<kind, Value>*>(sell.values.data()) + slot;
}

template <StoredValues kind, class Value>
SPARSECAST_INLINE Value decoded(const SellCompact<Value>& sell, std::int64_t slot) {
  if constexpr (kind == StoredValues::one) {
    return sell.table[0];
  } else if constexpr (kind == StoredValues::single || kind == StoredValues::plain) {
    return static_cast<Value>(*stored_at<kind>(sell, slot));
  } else if constexpr (is_short<kind>) {
    const std::uint16_t bits = *stored_at<kind>(sell, slot);
    return kind == StoredValues::half ? base::half_value(bits) : base::bfloat16_value(bits);
  } else {
    return sell.table[*stored_at<kind>(sell, slot)];
  }
}

// The columns of a window's slices from one on, near ones or far ones, and x where they count from.
template <class Column, class Value>
struct Columns {
  const Column* at;
  const Value* x;
};

SPARSECAST_INLINE std::int64_t window_end(std::int64_t slice, std::int64_t last) {
  return std::min(last, (slice / slices_of_window + 1) * slices_of_window);
}
template <class Value>
SPARSECAST_INLINE bool is_far(const SellCompact<Value>& sell, std::int64_t slice) {
  return sell.bases[slice / slices_of_window] < 0;
}
template <class Value>
SPARSECAST_INLINE std::int64_t place_of(const SellCompact<Value>& sell, std::int64_t slice) {
  return sell.slice_pointers[slice] - sell.shifts[slice / slices_of_window];
}
template <class Value>
SPARSECAST_INLINE Columns<std::int32_t, Value> far_columns(const SellCompact<Value>& sell, std::int64_t slice,
                                                           const Value* x) {
  return {sell.far.data() + place_of(sell, slice), x};
}
template <class Value>
SPARSECAST_INLINE Columns<std::uint16_t, Value> near_columns(const SellCompact<Value>& sell, std::int64_t slice,
                                                             const Value* x) {
  return {sell.near.data() + place_of(sell, slice), x + sell.bases[slice / slices_of_window]};
}

// Asks for what lies as far ahead as a slice's columns and values are long, once for every line of them. One stream of
// columns is followed without being asked (6 million entries of one value, this loop alone on a Zen 4
// guest: 1.22 against 1.31 ms).
template <StoredValues kind, class Column, class Value>
SPARSECAST_INLINE void prefetch_slice(const SellCompact<Value>& sell, const Column* columns, std::int64_t begin,
                                      std::int64_t end) {
  if constexpr (kind == StoredValues::one) return;
  constexpr std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(Value));
  constexpr auto step = [](std::size_t bytes) { return static_cast<std::int64_t>(64 / bytes); };
  for (std::int64_t slot = begin; slot < end; slot += step(sizeof(Column))) prefetch(columns + ahead + (slot - begin));
  for (std::int64_t slot = begin; slot < end; slot += step(sizeof(Stored<kind, Value>)))
    prefetch(stored_at<kind>(sell, slot + ahead));
}

template <class Value>
SPARSECAST_INLINE void place(const SellCompact<Value>& sell, std::int64_t slice, const Value* sums, Value* y) {
  const std::int64_t row = slice * lanes, count = std::min(lanes, sell.rows - row);
  for (std::int64_t i = 0; i < count; ++i) y[sell.permutation[row + i]] = sums[i];
}

template <StoredValues kind, class Column, class Value>
SPARSECAST_INLINE void sum_window(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last,
                                  Columns<Column, Value> columns, Value* y) {
  for (std::int64_t slice = first; slice < last; ++slice) {
    const std::int64_t begin = sell.slice_pointers[slice], end = sell.slice_pointers[slice + 1];
    prefetch_slice<kind>(sell, columns.at, begin, end);
    Value sums[lanes] = {};
    for (std::int64_t slot = begin; slot < end; slot += lanes, columns.at += lanes)
      for (std::int64_t i = 0; i < lanes; ++i)
        if (columns.at[i] != static_cast<Column>(-1))
          sums[i] += decoded<kind>(sell, slot + i) * columns.x[columns.at[i]];
    place(sell, slice, sums, y);
  }
}

template <StoredValues kind, class Value>
SPARSECAST_INLINE void sum_slices(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last, const Value* x,
                                  Value* y) {
  for (std::int64_t slice = first; slice < last; slice = window_end(slice, last)) {
    const std::int64_t end = window_end(slice, last);
    if (is_far(sell, slice))
      sum_window<kind>(sell, slice, end, far_columns(sell, slice, x), y);
    else
      sum_window<kind>(sell, slice, end, near_columns(sell, slice, x), y);
  }
}

// Slots in the order in which they lie: neighbours are of other rows, and an addition seldom waits for the one before.
template <StoredValues kind, class Column, class Value>
SPARSECAST_INLINE void scatter_window(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last,
                                      const Column* columns, const Value* x, Value* y) {
  for (std::int64_t slice = first; slice < last; ++slice) {
    const std::int64_t begin = sell.slice_pointers[slice], end = sell.slice_pointers[slice + 1];
    const std::int64_t row = slice * lanes, count = std::min(lanes, sell.rows - row);
    Value of_rows[lanes] = {};
    for (std::int64_t i = 0; i < count; ++i) of_rows[i] = x[sell.permutation[row + i]];
    for (std::int64_t slot = begin; slot < end; slot += lanes, columns += lanes)
      for (std::int64_t i = 0; i < lanes; ++i)
        if (columns[i] != static_cast<Column>(-1)) y[columns[i]] += decoded<kind>(sell, slot + i) * of_rows[i];
  }
}

template <StoredValues kind, class Value>
SPARSECAST_INLINE void scatter_slices(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last,
                                      const Value* x, Value* y) {
  for (std::int64_t slice = first; slice < last; slice = window_end(slice, last)) {
    const std::int64_t end = window_end(slice, last), place = place_of(sell, slice);
    if (is_far(sell, slice))
      scatter_window<kind>(sell, slice, end, sell.far.data() + place, x, y);
    else
      scatter_window<kind>(sell, slice, end, sell.near.data() + place, x, y + sell.bases[slice / slices_of_window]);
  }
}

#if SPARSECAST_X86
// Eight columns; near ones are taken out of two registers: half as many loads.
struct Eight {
  std::uint32_t at[8];
};
// Sixteen bits in one operation, where a shift and a mask are three.
template <unsigned bits>
SPARSECAST_WIDE std::uint32_t part(std::uint64_t of) {
  if constexpr (bits == 0) return static_cast<std::uint16_t>(of);
  if constexpr (bits == 48) return static_cast<std::uint32_t>(of >> 48);
  return static_cast<std::uint32_t>(_bextr_u64(of, bits, 16));
}
SPARSECAST_WIDE Eight eight(std::uint64_t a, std::uint64_t b) {
  return {{part<0>(a), part<16>(a), part<32>(a), part<48>(a), part<0>(b), part<16>(b), part<32>(b), part<48>(b)}};
}
SPARSECAST_WIDE Eight eight(const std::uint16_t* from) {
  std::uint64_t a, b;
  std::memcpy(&a, from, sizeof a);
  std::memcpy(&b, from + 4, sizeof b);
  return eight(a, b);
}
template <class Value>
SPARSECAST_WIDE typename Wide<Value>::Values pick(const std::uint16_t* from, const Value* x) {
  return Wide<Value>::pick(eight(from).at, x);
}
template <class Value>
SPARSECAST_WIDE typename Wide<Value>::Values pick(const std::int32_t* from, const Value* x) {
  return Wide<Value>::pick(from, x);
}

// x at those of eight columns that are filled; other lanes hold anything. Far ones, which a register holds anyway, are
// gathered (mip_nw04, the whole product on a Zen 4 guest: 291 against 318 µs).
template <class Value>
SPARSECAST_WIDE typename Wide<Value>::Values pick_filled(typename Wide<Value>::Mask filled, const std::uint16_t* from,
                                                         const Value* x) {
  const __m128i columns = _mm_maskz_loadu_epi16(filled, from);
  const auto low = static_cast<std::uint64_t>(_mm_cvtsi128_si64(columns));
  return Wide<Value>::pick(eight(low, static_cast<std::uint64_t>(_mm_extract_epi64(columns, 1))).at, x);
}
template <class Value>
SPARSECAST_WIDE typename Wide<Value>::Values pick_filled(typename Wide<Value>::Mask filled, const std::int32_t* from,
                                                         const Value* x) {
  return Wide<Value>::gather(filled, WideColumns::columns(from), x);
}

// The values of eight slots. A table lies in registers.
template <StoredValues kind, class Value>
struct WideValues {
  using W = Wide<Value>;
  const SellCompact<Value>& sell;
  typename W::Table table = {};  // of sixteen values

  SPARSECAST_WIDE typename W::Values at(const WideValues& of, std::int64_t slot) {
    if constexpr (kind == StoredValues::one) {
      return W::broadcast(of.sell.table[0]);
    } else {
      const auto* stored = stored_at<kind>(of.sell, slot);
      if constexpr (kind == StoredValues::sixteen)
        return W::look_up(of.table, stored);
      else if constexpr (kind == StoredValues::codes)
        return W::pick(stored, of.sell.table.data());
      else if constexpr (kind == StoredValues::single)
        return W::of_single(_mm256_loadu_ps(stored));
      else if constexpr (kind == StoredValues::half)
        return W::of_single(W::of_halves(stored));
      else if constexpr (kind == StoredValues::bfloat16)
        return W::of_single(W::of_bfloats(stored));
      else
        return W::load(stored);
    }
  }
};

SPARSECAST_WIDE __m128d pair(const double* from, std::uint32_t first, std::uint32_t second) {
  return _mm_loadh_pd(_mm_load_sd(from + first), from + second);
}

// Values that are one or codes times x at filled near columns, summed in pairs that two loads fill: no shuffles (the
// same entries: 1.22 ms where pick takes 1.35; of 200 values 2.4 ms where reading them takes 2.6).
template <StoredValues kind>
SPARSECAST_WIDE __m512d add_pairs(const SellCompact<double>& sell, std::int64_t first, std::int64_t last,
                                  Columns<std::uint16_t, double>& columns) {
  const double* const table = sell.table.data();
  const __m128d one = _mm_set1_pd(table[0]);
  __m128d a = _mm_setzero_pd(), b = a, c = a, d = a, of_a = one, of_b = one, of_c = one, of_d = one;
  for (std::int64_t slot = first; slot < last; slot += lanes, columns.at += lanes) {
    const Eight at = eight(columns.at);
    if constexpr (kind == StoredValues::codes) {
      std::uint64_t codes;
      std::memcpy(&codes, stored_at<kind>(sell, slot), sizeof codes);
      const auto code = [codes](int place) { return std::uint32_t{static_cast<std::uint8_t>(codes >> 8 * place)}; };
      of_a = pair(table, code(0), code(1)), of_b = pair(table, code(2), code(3));
      of_c = pair(table, code(4), code(5)), of_d = pair(table, code(6), code(7));
    }
    a = _mm_fmadd_pd(of_a, pair(columns.x, at.at[0], at.at[1]), a);
    b = _mm_fmadd_pd(of_b, pair(columns.x, at.at[2], at.at[3]), b);
    c = _mm_fmadd_pd(of_c, pair(columns.x, at.at[4], at.at[5]), c);
    d = _mm_fmadd_pd(of_d, pair(columns.x, at.at[6], at.at[7]), d);
  }
  return _mm512_insertf64x4(_mm512_castpd256_pd512(_mm256_set_m128d(b, a)), _mm256_set_m128d(d, c), 1);
}

enum class Slots { any, filled, runs };

template <Slots slots, StoredValues kind, class Column, class Value>
SPARSECAST_WIDE typename Wide<Value>::Values add_slots(const WideValues<kind, Value>& values, std::int64_t first,
                                                       std::int64_t last, Columns<Column, Value>& columns,
                                                       typename Wide<Value>::Values sums) {
  using W = Wide<Value>;
  for (std::int64_t slot = first; slot < last; slot += lanes, columns.at += lanes) {
    const typename W::Values of_matrix = WideValues<kind, Value>::at(values, slot);
    if constexpr (slots == Slots::runs) {
      sums = W::multiply_add(of_matrix, W::load(columns.x + columns.at[0]), sums);
    } else if constexpr (slots == Slots::filled) {
      sums = W::multiply_add(of_matrix, pick(columns.at, columns.x), sums);
    } else {
      const typename W::Columns c = W::columns(columns.at);
      const typename W::Mask filled = W::different(c, static_cast<Column>(-1));
      sums = W::multiply_add(filled, of_matrix, pick_filled(filled, columns.at, columns.x), sums);
    }
  }
  return sums;
}

// What a lane has from a slot on, four additions under way at once.
template <StoredValues kind, class Column, class Value>
SPARSECAST_WIDE Value lane_sum(const SellCompact<Value>& sell, std::int64_t slot, std::int64_t end,
                               Columns<Column, Value> columns) {
  constexpr auto padding = static_cast<Column>(-1);
  Value sums[4] = {};
  for (; slot + 3 * lanes < end && columns.at[3 * lanes] != padding; slot += 4 * lanes, columns.at += 4 * lanes)
    for (int i = 0; i < 4; ++i) sums[i] += decoded<kind>(sell, slot + i * lanes) * columns.x[columns.at[i * lanes]];
  for (; slot < end && *columns.at != padding; slot += lanes, columns.at += lanes)
    sums[0] += decoded<kind>(sell, slot) * columns.x[*columns.at];
  return (sums[0] + sums[1]) + (sums[2] + sums[3]);
}

// Slots of which some are padding. Rows lie by their lengths, so few lanes are left in the end, and a gather takes as
// long for one as for eight: they are summed one by one.
template <StoredValues kind, class Column, class Value>
SPARSECAST_WIDE typename Wide<Value>::Values add_padded(const WideValues<kind, Value>& values, std::int64_t first,
                                                        std::int64_t last, Columns<Column, Value>& columns,
                                                        typename Wide<Value>::Values sums) {
  constexpr std::int64_t few = 3;
  std::int64_t many = first;
  while (many < last && columns.at[many - first + few] != static_cast<Column>(-1)) many += lanes;
  sums = add_slots<Slots::any>(values, first, many, columns, sums);
  if (many == last) return sums;
  alignas(64) Value of_lanes[lanes] = {};
  for (std::int64_t lane = 0; lane < few; ++lane)
    of_lanes[lane] = lane_sum<kind, Column>(values.sell, many + lane, last + lane, {columns.at + lane, columns.x});
  columns.at += last - many;
  return Wide<Value>::add(sums, Wide<Value>::load(of_lanes));
}

template <StoredValues kind, class Column, class Value>
SPARSECAST_WIDE typename Wide<Value>::Values wide_sums(const WideValues<kind, Value>& values, std::int64_t slice,
                                                       Columns<Column, Value>& columns) {
  const FullColumns full = values.sell.full[slice];
  const std::int64_t begin = values.sell.slice_pointers[slice], end = values.sell.slice_pointers[slice + 1];
  prefetch_slice<kind>(values.sell, columns.at, begin, end);
  if (full == read_in_runs) return add_slots<Slots::runs>(values, begin, end, columns, Wide<Value>::zero());
  const std::int64_t padded = full == every_column ? end : begin + full * lanes;
  typename Wide<Value>::Values sums;
  constexpr bool in_pairs = kind == StoredValues::one || kind == StoredValues::codes;
  if constexpr (in_pairs && std::is_same_v<Columns<Column, Value>, Columns<std::uint16_t, double>>)
    sums = add_pairs<kind>(values.sell, begin, padded, columns);
  else
    sums = add_slots<Slots::filled>(values, begin, padded, columns, Wide<Value>::zero());
  return add_padded(values, padded, end, columns, sums);
}

template <StoredValues kind, class Column, class Value>
SPARSECAST_WIDE void wide_window(const WideValues<kind, Value>& values, std::int64_t first, std::int64_t last,
                                 Columns<Column, Value> columns, Value* y) {
  using W = Wide<Value>;
  for (std::int64_t slice = first; slice < last; ++slice) {
    const typename W::Values sums = wide_sums(values, slice, columns);
    const std::int32_t* rows = values.sell.permutation.data() + slice * lanes;
    if (values.sell.rows - slice * lanes >= lanes && W::run(rows)) {  // rows of a length that lay side by side
      W::store(y + rows[0], sums);
    } else {
      alignas(64) Value out[lanes];
      W::store(out, sums);
      place(values.sell, slice, out, y);
    }
  }
}

template <StoredValues kind, class Value>
SPARSECAST_AVX512 void slices_avx512(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last,
                                     const Value* x, Value* y) {
  WideValues<kind, Value> values{sell};
  if constexpr (kind == StoredValues::sixteen) values.table = Wide<Value>::table(sell.table.data());
  for (std::int64_t slice = first; slice < last; slice = window_end(slice, last)) {
    const std::int64_t end = window_end(slice, last);
    if (is_far(sell, slice))
      wide_window(values, slice, end, far_columns(sell, slice, x), y);
    else
      wide_window(values, slice, end, near_columns(sell, slice, x), y);
  }
}
#endif

template <StoredValues kind, class Value>
CompactSums<Value> sums_of(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return slices_avx512<kind, Value>;
#endif
  return compiled_for<sum_slices<kind, Value>>(simd);
}
}  // namespace

template <class Value>
CompactSums<Value> compact_sums(StoredValues kind, Simd simd) {
  switch (kind) {
    case StoredValues::one: return sums_of<StoredValues::one, Value>(simd);
    case StoredValues::sixteen: return sums_of<StoredValues::sixteen, Value>(simd);
    case StoredValues::codes: return sums_of<StoredValues::codes, Value>(simd);
    case StoredValues::half: return sums_of<StoredValues::half, Value>(simd);
    case StoredValues::bfloat16: return sums_of<StoredValues::bfloat16, Value>(simd);
    case StoredValues::single: return sums_of<StoredValues::single, Value>(simd);
    case StoredValues::plain: break;
  }
  return sums_of<StoredValues::plain, Value>(simd);
}

template <class Value>
CompactScatter<Value> compact_scatter(StoredValues kind, Simd simd) {
  using enum StoredValues;
  switch (kind) {
    case one: return compiled_for<scatter_slices<one, Value>>(simd);
    case sixteen: return compiled_for<scatter_slices<sixteen, Value>>(simd);
    case codes: return compiled_for<scatter_slices<codes, Value>>(simd);
    case half: return compiled_for<scatter_slices<half, Value>>(simd);
    case bfloat16: return compiled_for<scatter_slices<bfloat16, Value>>(simd);
    case single: return compiled_for<scatter_slices<single, Value>>(simd);
    case plain: break;
  }
  return compiled_for<scatter_slices<plain, Value>>(simd);
}

template CompactScatter<float> compact_scatter(StoredValues, Simd);
template CompactScatter<double> compact_scatter(StoredValues, Simd);
template CompactSums<float> compact_sums(StoredValues, Simd);
template CompactSums<double> compact_sums(StoredValues, Simd);
}  // namespace sparsecast::formats

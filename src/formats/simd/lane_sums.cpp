
#include <algorithm>

#include "formats/host_product.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
template <class Value, class Index>
SPARSECAST_INLINE void sum_slice(const Value* values, const Index* columns, std::int64_t width, std::int64_t lanes,
                                 const Value* x, Value* y) {
  std::fill(y, y + lanes, Value{0});
  for (std::int64_t k = 0; k < width; ++k, values += lanes, columns += lanes) {
    for (std::int64_t i = 0; i < lanes; ++i)
      if (columns[i] >= 0) y[i] += values[i] * x[columns[i]];
    for (std::int64_t i = 0; i < lanes; i += 8) prefetch_stream(values + i, columns + i);
  }
}

// As many vectors of eight beside each other in x as there are in a column.
template <class Value, class Index>
SPARSECAST_INLINE void sum_runs(const Value* values, const Index* columns, std::int64_t width, std::int64_t lanes,
                                const Value* x, Value* y) {
  std::fill(y, y + lanes, Value{0});
  for (std::int64_t k = 0; k < width; ++k) {
    for (std::int64_t first = 0; first < lanes; first += 8, values += 8, columns += 8) {
      const Value* from = x + columns[0];
      for (std::int64_t i = 0; i < 8; ++i) y[first + i] += values[i] * from[i];
      prefetch_stream(values, columns);
    }
  }
}

template <class Value, class Index>
SPARSECAST_INLINE void sum_one(const SliceArrays<Value, Index>& sell, std::int64_t slice, std::int64_t lanes,
                               const Value* x, Value* y) {
  const std::int64_t begin = sell.pointers[slice], width = (sell.pointers[slice + 1] - begin) / lanes;
  if (sell.full[slice] == read_in_runs)
    sum_runs(sell.values + begin, sell.columns + begin, width, lanes, x, y);
  else
    sum_slice(sell.values + begin, sell.columns + begin, width, lanes, x, y);
}

template <class Value, class Index>
SPARSECAST_INLINE void sum_slices(const SliceArrays<Value, Index>& sell, std::int64_t first, std::int64_t last,
                                  const Value* x, Value* y) {
  constexpr std::int64_t lanes = 8;
  for (std::int64_t slice = first; slice < last; ++slice) {
    Value sums[lanes];
    sum_one(sell, slice, lanes, x, sums);
    const std::int64_t row = slice * lanes, count = sell.rows - row < lanes ? sell.rows - row : lanes;
    for (std::int64_t i = 0; i < count; ++i) y[sell.permutation[row + i]] = sums[i];
  }
}

template <class Value, class Index>
SPARSECAST_INLINE void sum_slices_of(const SliceArrays<Value, Index>& sell, int slice_rows, std::int64_t first,
                                     std::int64_t last, const Value* x, Value* y) {
  Value sums[tallest_slice];
  for (std::int64_t slice = first; slice < last; ++slice) {
    sum_one(sell, slice, slice_rows, x, sums);
    const std::int64_t row = slice * slice_rows, rest = sell.rows - row, count = rest < slice_rows ? rest : slice_rows;
    if (sell.permutation == nullptr) {
      for (std::int64_t i = 0; i < count; ++i) y[row + i] = sums[i];
    } else {
      for (std::int64_t i = 0; i < count; ++i) y[sell.permutation[row + i]] = sums[i];
    }
  }
}

template <class Value, class Index>
SPARSECAST_INLINE void add(const Value* values, const Index* columns, std::int64_t lanes, const Value* next_values,
                           const Index* next_columns, const Value* x, Value* sums) {
  for (std::int64_t first = 0; first < lanes; first += 8) {
    prefetch(next_values + first);
    prefetch(next_columns + first);
    const std::int64_t last = std::min(lanes, first + 8);
    for (std::int64_t i = first; i < last; ++i)
      if (columns[i] >= 0) sums[i] += values[i] * x[columns[i]];
  }
}

// Every column is prefetched as far ahead as makes prefetch_bytes of values in all columns together.
template <class Value, class Index>
SPARSECAST_INLINE void sum_columns(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                                   std::int64_t lanes, const Value* x, Value* y) {
  const std::int64_t ahead =
      prefetch_bytes / static_cast<std::int64_t>(sizeof(Value)) / std::max<std::int64_t>(1, width);
  for (std::int64_t first = 0; first < lanes; first += 8) {
    const std::int64_t last = std::min(lanes, first + 8);
    std::fill(y + first, y + last, Value{0});
    for (std::int64_t k = 0; k < width; ++k) {
      const Value* v = values + k * stride;
      const Index* c = columns + k * stride;
      prefetch(v + first, ahead * static_cast<std::int64_t>(sizeof(Value)));
      prefetch(c + first, ahead * static_cast<std::int64_t>(sizeof(Index)));
      for (std::int64_t i = first; i < last; ++i)
        if (c[i] >= 0) y[i] += v[i] * x[c[i]];
    }
  }
}

#if SPARSECAST_X86
// Most vectors hold no padding, and picking is faster than gathering (wide.hpp).
template <class Value>
SPARSECAST_WIDE typename Wide<Value>::Values add_lanes(const Value* values, const std::int32_t* columns, const Value* x,
                                                       typename Wide<Value>::Values sums) {
  using W = Wide<Value>;
  const typename W::Columns c = W::columns(columns);
  const typename W::Mask filled = W::filled(c);
  const typename W::Values of_x = filled == 0xff ? W::pick(columns, x) : W::gather(filled, c, x);
  return W::multiply_add(W::load(values), of_x, sums);
}

// What is known of the slots of a column.
enum class Slots { any, filled, runs };

template <Slots slots, class Value>
SPARSECAST_WIDE typename Wide<Value>::Values add_known_lanes(const Value* values, const std::int32_t* columns,
                                                             const Value* x, typename Wide<Value>::Values sums) {
  using W = Wide<Value>;
  if constexpr (slots == Slots::any) {
    return add_lanes(values, columns, x, sums);
  } else {
    const typename W::Values of_x = slots == Slots::runs ? W::load(x + columns[0]) : W::pick(columns, x);
    return W::multiply_add(W::load(values), of_x, sums);
  }
}

template <Slots slots, int vectors, class Value>
SPARSECAST_WIDE void add_slots(const SliceArrays<Value, std::int32_t>& sell, std::int64_t first, std::int64_t last,
                               const Value* x, typename Wide<Value>::Values* sums) {
  using W = Wide<Value>;
  for (std::int64_t slot = first; slot < last; slot += vectors * W::lanes) {
#pragma GCC unroll 4
    for (int v = 0; v < vectors; ++v) {
      const Value* values = sell.values + slot + v * W::lanes;
      const std::int32_t* columns = sell.columns + slot + v * W::lanes;
      prefetch_stream(values, columns);
      sums[v] = add_known_lanes<slots>(values, columns, x, sums[v]);
    }
  }
}

// The sums of a slice of so many vectors of eight rows, which do not wait for each other.
template <int vectors, class Value>
SPARSECAST_WIDE void sum_wide(const SliceArrays<Value, std::int32_t>& sell, std::int64_t slice, const Value* x,
                              typename Wide<Value>::Values* sums) {
  for (int v = 0; v < vectors; ++v) sums[v] = Wide<Value>::zero();
  const std::int64_t first = sell.pointers[slice], last = sell.pointers[slice + 1];
  const FullColumns full = sell.full[slice];
  if (full == read_in_runs) return add_slots<Slots::runs, vectors>(sell, first, last, x, sums);
  const std::int64_t padded = full == every_column ? last : first + full * vectors * Wide<Value>::lanes;
  add_slots<Slots::filled, vectors>(sell, first, padded, x, sums);
  add_slots<Slots::any, vectors>(sell, padded, last, x, sums);
}

template <class Value, class Index>
SPARSECAST_AVX512 void slices_avx512(const SliceArrays<Value, Index>& sell, std::int64_t first, std::int64_t last,
                                     const Value* x, Value* y) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    for (std::int64_t slice = first; slice < last; ++slice) {
      typename W::Values sums;
      sum_wide<1>(sell, slice, x, &sums);
      const std::int64_t row = slice * W::lanes, count = sell.rows - row;
      const Index* rows = sell.permutation + row;
      if (count >= W::lanes && W::run(rows)) {  // rows of a length that lay side by side
        W::store(y + rows[0], sums);
        continue;
      }
      alignas(64) Value out[W::lanes];
      W::store(out, sums);
      for (std::int64_t i = 0; i < W::lanes && i < count; ++i) y[rows[i]] = out[i];
    }
  } else {
    sum_slices(sell, first, last, x, y);
  }
}

// Sums of eight lanes to their rows, of which there may be fewer.
template <class Value>
SPARSECAST_WIDE void place_lanes(typename Wide<Value>::Values sums, const std::int32_t* permutation, std::int64_t row,
                                 std::int64_t rows, Value* y) {
  using W = Wide<Value>;
  const std::int64_t count = rows - row;
  if (count <= 0) return;
  if (permutation == nullptr) return W::store(W::first(std::min<std::int64_t>(count, W::lanes)), y + row, sums);
  const std::int32_t* places = permutation + row;
  if (count >= W::lanes && W::run(places)) return W::store(y + places[0], sums);
  alignas(64) Value out[W::lanes];
  W::store(out, sums);
  for (std::int64_t i = 0; i < W::lanes && i < count; ++i) y[places[i]] = out[i];
}

template <int vectors, class Value>
SPARSECAST_WIDE void wide_slices(const SliceArrays<Value, std::int32_t>& sell, std::int64_t first, std::int64_t last,
                                 const Value* x, Value* y) {
  using W = Wide<Value>;
  constexpr std::int64_t height = vectors * W::lanes;
  for (std::int64_t slice = first; slice < last; ++slice) {
    typename W::Values sums[vectors];
    sum_wide<vectors>(sell, slice, x, sums);
    for (int v = 0; v < vectors; ++v)
      place_lanes(sums[v], sell.permutation, slice * height + v * W::lanes, sell.rows, y);
  }
}

template <class Value, class Index>
SPARSECAST_AVX512 void slices_of_avx512(const SliceArrays<Value, Index>& sell, int slice_rows, std::int64_t first,
                                        std::int64_t last, const Value* x, Value* y) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    constexpr int lanes = Wide<Value>::lanes;
    if (slice_rows == lanes) return wide_slices<1>(sell, first, last, x, y);
    if (slice_rows == 2 * lanes) return wide_slices<2>(sell, first, last, x, y);
    if (slice_rows == 4 * lanes) return wide_slices<4>(sell, first, last, x, y);
  }
  sum_slices_of(sell, slice_rows, first, last, x, y);
}

template <class Value, class Index>
SPARSECAST_AVX512 void slice_avx512(const Value* values, const Index* columns, std::int64_t width, std::int64_t lanes,
                                    const Value* x, Value* y) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    if (lanes == W::lanes) {
      typename W::Values sums = W::zero();
      for (std::int64_t k = 0; k < width; ++k, values += W::lanes, columns += W::lanes) {
        prefetch_stream(values, columns);
        sums = add_lanes(values, columns, x, sums);
      }
      W::store(y, sums);
      return;
    }
  }
  sum_slice(values, columns, width, lanes, x, y);
}

template <class Value, class Index>
SPARSECAST_AVX512 void columns_avx512(const Value* values, const Index* columns, std::int64_t stride,
                                      std::int64_t width, std::int64_t lanes, const Value* x, Value* y) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    const std::int64_t ahead = prefetch_bytes / static_cast<std::int64_t>(sizeof(Value)) / (width > 0 ? width : 1);
    std::int64_t i = 0;
    const std::int64_t filled = width > 0 ? lanes : 0;  // without columns the slots stand nowhere
    for (; i + W::lanes <= filled; i += W::lanes) {
      typename W::Values sums = W::zero();
      const Value* v = values + i;
      const std::int32_t* c = columns + i;
      for (std::int64_t k = 0; k < width; ++k, v += stride, c += stride) {
        prefetch(v, ahead * static_cast<std::int64_t>(sizeof(Value)));
        prefetch(c, ahead * static_cast<std::int64_t>(sizeof(std::int32_t)));
        sums = add_lanes(v, c, x, sums);
      }
      W::store(y + i, sums);
    }
    sum_columns(values + i, columns + i, stride, width, lanes - i, x, y + i);
  } else {
    sum_columns(values, columns, stride, width, lanes, x, y);
  }
}

template <class Value, class Index>
SPARSECAST_AVX512 void add_avx512(const Value* values, const Index* columns, std::int64_t lanes,
                                  const Value* next_values, const Index* next_columns, const Value* x, Value* sums) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    std::int64_t i = 0;
    for (; i + W::lanes <= lanes; i += W::lanes) {
      prefetch(next_values + i);
      prefetch(next_columns + i);
      W::store(sums + i, add_lanes(values + i, columns + i, x, W::load(sums + i)));
    }
    if (i < lanes) {
      const typename W::Mask rest = W::first(lanes - i);
      const typename W::Columns c = W::columns(rest, columns + i);
      const auto filled = static_cast<typename W::Mask>(rest & W::filled(c));
      W::store(rest, sums + i,
               W::multiply_add(W::load(rest, values + i), W::gather(filled, c, x), W::load(rest, sums + i)));
    }
  } else {
    add(values, columns, lanes, next_values, next_columns, x, sums);
  }
}
#endif
}  // namespace

template <class Value, class Index>
LaneSums<Value, Index> real_lane_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512)
    return {slices_avx512<Value, Index>, slice_avx512<Value, Index>, columns_avx512<Value, Index>,
            add_avx512<Value, Index>, slices_of_avx512<Value, Index>};
#endif
  return {compiled_for<sum_slices<Value, Index>>(simd), compiled_for<sum_slice<Value, Index>>(simd),
          compiled_for<sum_columns<Value, Index>>(simd), compiled_for<add<Value, Index>>(simd),
          compiled_for<sum_slices_of<Value, Index>>(simd)};
}

template <class Value, class Index>
LaneSums<Value, Index> lane_sums(Simd simd) {
  if constexpr (is_complex_value<Value>) {
    return complex_lane_sums<Value, Index>(simd);
  } else {
    return real_lane_sums<Value, Index>(simd);
  }
}

#define SPARSECAST_INSTANTIATE(Value, Index) template LaneSums<Value, Index> lane_sums(Simd);
SPARSECAST_FOR_ALL_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::formats

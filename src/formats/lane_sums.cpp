#include "formats/lane_sums.hpp"

#include <algorithm>
#include <type_traits>

#include "formats/wide.hpp"

namespace sparsecast {
namespace {

template <class Value, class Index>
SPARSECAST_INLINE void add(const Value* values, const Index* columns, std::int64_t lanes, const Value* x, Value* sums) {
  for (std::int64_t i = 0; i < lanes; ++i)
    if (columns[i] >= 0) sums[i] += values[i] * x[columns[i]];
}

template <class Value, class Index>
SPARSECAST_INLINE void sum_block(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                                 std::int64_t lanes, const Value* x, Value* y) {
  std::fill(y, y + lanes, Value{0});
  for (std::int64_t k = 0; k < width; ++k) add(values + k * stride, columns + k * stride, lanes, x, y);
}

template <class Value, class Index>
void block_portable(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                    std::int64_t lanes, const Value* x, Value* y) {
  sum_block(values, columns, stride, width, lanes, x, y);
}
template <class Value, class Index>
void add_portable(const Value* values, const Index* columns, std::int64_t lanes, const Value* x, Value* sums) {
  add(values, columns, lanes, x, sums);
}

#if SPARSECAST_X86
template <class Value, class Index>
SPARSECAST_AVX2 void block_avx2(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                                std::int64_t lanes, const Value* x, Value* y) {
  sum_block(values, columns, stride, width, lanes, x, y);
}
template <class Value, class Index>
SPARSECAST_AVX2 void add_avx2(const Value* values, const Index* columns, std::int64_t lanes, const Value* x,
                              Value* sums) {
  add(values, columns, lanes, x, sums);
}

// `vectors` accumulators side by side hide the latency of gather and multiply-add.
template <int vectors, class Value>
SPARSECAST_WIDE void wide_block(const Value* values, const std::int32_t* columns, std::int64_t stride,
                                std::int64_t width, const Value* x, Value* y) {
  using W = Wide<Value>;
  typename W::Values sums[vectors];
  for (int v = 0; v < vectors; ++v) sums[v] = W::zero();
  for (std::int64_t k = 0; k < width; ++k, values += stride, columns += stride) {
    for (int v = 0; v < vectors; ++v) {
      const typename W::Columns c = W::columns(columns + v * W::lanes);
      sums[v] = W::multiply_add(W::load(values + v * W::lanes), W::gather(W::filled(c), c, x), sums[v]);
    }
  }
  for (int v = 0; v < vectors; ++v) W::store(y + v * W::lanes, sums[v]);
}

template <class Value, class Index>
SPARSECAST_AVX512 void block_avx512(const Value* values, const Index* columns, std::int64_t stride, std::int64_t width,
                                    std::int64_t lanes, const Value* x, Value* y) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    std::int64_t i = 0;
    for (; i + 4 * W::lanes <= lanes; i += 4 * W::lanes)
      wide_block<4>(values + i, columns + i, stride, width, x, y + i);
    for (; i + W::lanes <= lanes; i += W::lanes) wide_block<1>(values + i, columns + i, stride, width, x, y + i);
    if (i < lanes) {
      const typename W::Mask rest = W::first(lanes - i);
      typename W::Values sums = W::zero();
      for (std::int64_t k = 0; k < width; ++k) {
        const typename W::Columns c = W::columns(rest, columns + k * stride + i);
        const typename W::Mask filled = rest & W::filled(c);
        sums = W::multiply_add(W::load(rest, values + k * stride + i), W::gather(filled, c, x), sums);
      }
      W::store(rest, y + i, sums);
    }
  } else {
    sum_block(values, columns, stride, width, lanes, x, y);
  }
}

template <class Value, class Index>
SPARSECAST_AVX512 void add_avx512(const Value* values, const Index* columns, std::int64_t lanes, const Value* x,
                                  Value* sums) {
  if constexpr (std::is_same_v<Index, std::int32_t>) {
    using W = Wide<Value>;
    std::int64_t i = 0;
    for (; i + W::lanes <= lanes; i += W::lanes) {
      const typename W::Columns c = W::columns(columns + i);
      W::store(sums + i, W::multiply_add(W::load(values + i), W::gather(W::filled(c), c, x), W::load(sums + i)));
    }
    if (i < lanes) {
      const typename W::Mask rest = W::first(lanes - i);
      const typename W::Columns c = W::columns(rest, columns + i);
      const typename W::Mask filled = rest & W::filled(c);
      W::store(rest, sums + i,
               W::multiply_add(W::load(rest, values + i), W::gather(filled, c, x), W::load(rest, sums + i)));
    }
  } else {
    add(values, columns, lanes, x, sums);
  }
}
#endif

}  // namespace

template <class Value, class Index>
LaneSums<Value, Index> lane_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {block_avx512<Value, Index>, add_avx512<Value, Index>};
  if (simd == Simd::avx2) return {block_avx2<Value, Index>, add_avx2<Value, Index>};
#endif
  static_cast<void>(simd);
  return {block_portable<Value, Index>, add_portable<Value, Index>};
}

template LaneSums<float, std::int32_t> lane_sums(Simd);
template LaneSums<float, std::int64_t> lane_sums(Simd);
template LaneSums<double, std::int32_t> lane_sums(Simd);
template LaneSums<double, std::int64_t> lane_sums(Simd);

}  // namespace sparsecast

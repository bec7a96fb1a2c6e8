#include "formats/structured/diagonal_sums.hpp"

#include "formats/parts/sizes.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {
constexpr std::int64_t lanes = 8;

template <class Value>
SPARSECAST_INLINE void sum_slices(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                  std::int64_t slices, const Value* x, Value* y) {
  for (std::int64_t s = 0; s < slices; ++s, x += lanes, y += lanes) {
    const Value* const slice = values;
    Value sums[lanes] = {};
    for (std::int64_t d = 0; d < count; ++d, values += lanes) {
      const Value* from = x + diagonals[d];
      prefetch(values, prefetch_bytes);
      for (std::int64_t i = 0; i < lanes; ++i) sums[i] += values[i] * from[i];
    }
    bool sound = true;
    for (std::int64_t i = 0; i < lanes; ++i) {
      y[i] = sums[i];
      sound &= sums[i] == sums[i];
    }
    if (!sound) sum_slice_carefully(slice, diagonals, count, lanes, x, y);
  }
}

// One diagonal after the other, so that no slice adds to what the one before has just stored.
template <class Value>
SPARSECAST_INLINE void scatter_slices(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                      std::int64_t slices, const Value* x, Value* y) {
  for (std::int64_t d = 0; d < count; ++d, values += lanes) {
    Value* to = y + diagonals[d];
    for (std::int64_t s = 0; s < slices; ++s, to += lanes) {
      Value sums[lanes];
      for (std::int64_t i = 0; i < lanes; ++i) sums[i] = to[i] + values[s * count * lanes + i] * x[s * lanes + i];
      for (std::int64_t i = 0; i < lanes; ++i) to[i] = sums[i];
    }
  }
}

#if SPARSECAST_X86
template <class Value>
SPARSECAST_AVX512 void scatter_avx512(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                      std::int64_t slices, const Value* x, Value* y) {
  using W = Wide<Value>;
  for (std::int64_t d = 0; d < count; ++d, values += lanes) {
    Value* to = y + diagonals[d];
    for (std::int64_t s = 0; s < slices; ++s, to += lanes)
      W::store(to, W::multiply_add(W::load(values + s * count * lanes), W::load(x + s * lanes), W::load(to)));
  }
}

template <class Value>
SPARSECAST_AVX512 void slices_avx512(const Value* values, const std::int64_t* diagonals, std::int64_t count,
                                     std::int64_t slices, const Value* x, Value* y) {
  using W = Wide<Value>;
  static_assert(W::lanes == lanes, "a slice is a vector");
  for (std::int64_t s = 0; s < slices; ++s, x += lanes, y += lanes) {
    const Value* const slice = values;
    typename W::Values sums = W::zero(), others = W::zero();
    std::int64_t d = 0;
    for (; d + 2 <= count; d += 2, values += 2 * lanes) {
      prefetch(values, prefetch_bytes);
      if constexpr (sizeof(Value) == 8) prefetch(values + lanes, prefetch_bytes);
      sums = W::multiply_add(W::load(values), W::load(x + diagonals[d]), sums);
      others = W::multiply_add(W::load(values + lanes), W::load(x + diagonals[d + 1]), others);
    }
    if (d < count) {
      prefetch(values, prefetch_bytes);
      sums = W::multiply_add(W::load(values), W::load(x + diagonals[d]), sums);
      values += lanes;
    }
    sums = W::add(sums, others);
    W::store(y, sums);
    if (W::not_numbers(sums) != 0) sum_slice_carefully(slice, diagonals, count, lanes, x, y);
  }
}
#endif
}  // namespace

template <class Value>
void sum_slice_carefully(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t rows,
                         const Value* x, Value* y) {
  for (std::int64_t i = 0; i < rows; ++i) {
    Value sum = 0;
    for (std::int64_t d = 0; d < count; ++d)
      if (const Value value = values[d * lanes + i]; !is_padding(value)) sum += value * x[i + diagonals[d]];
    y[i] = sum;
  }
}

template <class Value>
DiagonalSums<Value> diagonal_sums(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {slices_avx512<Value>};
#endif
  return {compiled_for<sum_slices<Value>>(simd)};
}

template <class Value>
void scatter_slice_carefully(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t rows,
                             const Value* x, Value* y) {
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t d = 0; d < count; ++d)
      if (const Value value = values[d * lanes + i]; !is_padding(value)) y[i + diagonals[d]] += value * x[i];
}

template <class Value>
DiagonalScatter<Value> diagonal_scatter(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return scatter_avx512<Value>;
#endif
  return compiled_for<scatter_slices<Value>>(simd);
}

template DiagonalScatter<float> diagonal_scatter(Simd);
template DiagonalScatter<double> diagonal_scatter(Simd);
template void scatter_slice_carefully(const float*, const std::int64_t*, std::int64_t, std::int64_t, const float*,
                                      float*);
template void scatter_slice_carefully(const double*, const std::int64_t*, std::int64_t, std::int64_t, const double*,
                                      double*);
template DiagonalSums<float> diagonal_sums(Simd);
template DiagonalSums<double> diagonal_sums(Simd);
template void sum_slice_carefully(const float*, const std::int64_t*, std::int64_t, std::int64_t, const float*, float*);
template void sum_slice_carefully(const double*, const std::int64_t*, std::int64_t, std::int64_t, const double*,
                                  double*);
}  // namespace sparsecast::formats

#include "formats/structured/block_sums.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/parts/padding_value.hpp"
#include "formats/simd/prefetch.hpp"
#include "formats/simd/wide.hpp"

namespace sparsecast::formats {
namespace {

constexpr int most = 8;  // rows and columns of a block

// Without the padded slots: x may be infinite there.
template <class Value, class Index>
void sum_group_carefully(const Bsr<Value, Index>& bsr, std::int64_t group, int rows, const Value* x, Value* sums) {
  const std::int64_t slots = std::int64_t{bsr.block_rows} * bsr.block_cols;
  std::fill_n(sums, rows, Value{0});
  for (std::int64_t b = bsr.block_pointers[group]; b < bsr.block_pointers[group + 1]; ++b)
    for (int j = 0; j < bsr.block_cols; ++j)
      for (int i = 0; i < rows; ++i)
        if (const Value value = bsr.values[b * slots + j * bsr.block_rows + i]; !is_padding(value))
          sums[i] += value * x[bsr.column_indices[b] + j];
}

// Writes the sums of a group, of whose rows the matrix may not have the last ones.
template <class Value, class Index>
SPARSECAST_INLINE void put_sums(const Bsr<Value, Index>& bsr, std::int64_t group, int height, Value* sums,
                                const Value* x, Value* y) {
  const std::int64_t first = group * height, left = bsr.rows - first;
  const int rows = left < height ? static_cast<int>(left) : height;
  bool sound = true;
  for (int i = 0; i < rows; ++i) sound &= sums[i] == sums[i];
  if (!sound) sum_group_carefully(bsr, group, rows, x, sums);
  for (int i = 0; i < rows; ++i) y[first + i] = sums[i];
}

template <int height, class Value, class Index>
SPARSECAST_INLINE void sum_groups(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x,
                                  Value* y) {
  const int width = bsr.block_cols;
  const Value* values = bsr.values.data() + bsr.block_pointers[first] * height * width;
  const Index* columns = bsr.column_indices.data();
  for (std::int64_t group = first; group < last; ++group) {
    Value sums[height] = {};
    for (std::int64_t b = bsr.block_pointers[group]; b < bsr.block_pointers[group + 1]; ++b) {
      const Value* from = x + columns[b];
      prefetch(columns + b, prefetch_bytes / (height * width));
      for (int j = 0; j < width; ++j, values += height) {
        prefetch(values, prefetch_bytes);
        const Value of_x = from[j];
        for (int i = 0; i < height; ++i) sums[i] += values[i] * of_x;
      }
    }
    put_sums(bsr, group, height, sums, x, y);
  }
}

template <int height, class Value, class Index>
void groups_portable(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  sum_groups<height>(bsr, first, last, x, y);
}

#if SPARSECAST_X86
template <int height, class Value, class Index>
SPARSECAST_AVX2 void groups_avx2(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x,
                                 Value* y) {
  sum_groups<height>(bsr, first, last, x, y);
}

// Vectors of 512 bits, in which a block's x always fits.
template <class Value>
struct Full;
template <>
struct Full<double> {
  static constexpr int lanes = 8;
  using Values = __m512d;
  using Places = __m512i;
  SPARSECAST_WIDE Values zero() { return _mm512_setzero_pd(); }
  SPARSECAST_WIDE Places places(const std::array<std::int64_t, 8>& of) { return _mm512_loadu_si512(of.data()); }
  SPARSECAST_WIDE Values load(unsigned mask, const double* from) {
    return _mm512_maskz_loadu_pd(static_cast<__mmask8>(mask), from);
  }
  SPARSECAST_WIDE Values spread(Places places, Values x) { return _mm512_maskz_permutexvar_pd(0xff, places, x); }
  SPARSECAST_WIDE Values multiply_add(Values a, Values b, Values sum) { return _mm512_fmadd_pd(a, b, sum); }
  SPARSECAST_WIDE Values add(Values a, Values b) { return _mm512_add_pd(a, b); }
  SPARSECAST_WIDE void store(double* to, Values values) { _mm512_store_pd(to, values); }
  using Place = std::int64_t;
};
template <>
struct Full<float> {
  static constexpr int lanes = 16;
  using Values = __m512;
  using Places = __m512i;
  SPARSECAST_WIDE Values zero() { return _mm512_setzero_ps(); }
  SPARSECAST_WIDE Places places(const std::array<std::int32_t, 16>& of) { return _mm512_loadu_si512(of.data()); }
  SPARSECAST_WIDE Values load(unsigned mask, const float* from) {
    return _mm512_maskz_loadu_ps(static_cast<__mmask16>(mask), from);
  }
  SPARSECAST_WIDE Values spread(Places places, Values x) { return _mm512_maskz_permutexvar_ps(0xffff, places, x); }
  SPARSECAST_WIDE Values multiply_add(Values a, Values b, Values sum) { return _mm512_fmadd_ps(a, b, sum); }
  SPARSECAST_WIDE Values add(Values a, Values b) { return _mm512_add_ps(a, b); }
  SPARSECAST_WIDE void store(float* to, Values values) { _mm512_store_ps(to, values); }
  using Place = std::int32_t;
};

template <int vectors, class Value, class Index>
SPARSECAST_AVX512 void groups_avx512(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last,
                                     const Value* x, Value* y) {
  using F = Full<Value>;
  const int height = bsr.block_rows, width = bsr.block_cols, slots = height * width;
  typename F::Places places[vectors];
  for (int v = 0; v < vectors; ++v) {
    std::array<typename F::Place, F::lanes> of{};
    for (int lane = 0; lane < F::lanes; ++lane) of[lane] = std::min(width - 1, (v * F::lanes + lane) / height);
    places[v] = F::places(of);
  }
  const unsigned all = (1U << F::lanes) - 1, of_x = (1U << width) - 1;
  const int in_last = slots - (vectors - 1) * F::lanes;
  const unsigned rest = in_last >= F::lanes ? all : (1U << in_last) - 1;
  const Value* values = bsr.values.data() + bsr.block_pointers[first] * slots;
  const Index* columns = bsr.column_indices.data();
  // Small blocks would wait for one another's additions: every other one has sums of its own.
  constexpr int chains = vectors <= 2 ? 2 : 1;
  alignas(64) Value sums[vectors * F::lanes];
  for (std::int64_t group = first; group < last; ++group) {
    typename F::Values s[chains][vectors];
    for (auto& chain : s)
      for (auto& of_vector : chain) of_vector = F::zero();
    const auto add = [&](std::int64_t b, typename F::Values* chain) SPARSECAST_AVX512 {
      const typename F::Values of_block = F::load(of_x, x + columns[b]);
      for (int v = 0; v < vectors; ++v) {
        prefetch(values + v * F::lanes, prefetch_bytes);
        chain[v] = F::multiply_add(F::load(v + 1 < vectors ? all : rest, values + v * F::lanes),
                                   F::spread(places[v], of_block), chain[v]);
      }
      values += slots;
    };
    std::int64_t b = bsr.block_pointers[group];
    const std::int64_t end = bsr.block_pointers[group + 1];
    for (; b + chains <= end; b += chains)
      for (int chain = 0; chain < chains; ++chain) add(b + chain, s[chain]);
    if (b < end) add(b, s[0]);
    if constexpr (chains == 2)
      for (int v = 0; v < vectors; ++v) s[0][v] = F::add(s[0][v], s[1][v]);
    for (int v = 0; v < vectors; ++v) F::store(sums + v * F::lanes, s[0][v]);
    for (int j = 1; j < width; ++j)
      for (int i = 0; i < height; ++i) sums[i] += sums[j * height + i];
    put_sums(bsr, group, height, sums, x, y);
  }
}
#endif

// The text for `number`, 1 … 8, of those that Of names.
template <class Sums, class Of>
Sums of_number(int number, const Of& of) {
  return [&]<int... n>(std::integer_sequence<int, n...>) {
    Sums found{};
    ((number == n + 1 ? static_cast<void>(found = of.template operator()<n + 1>()) : static_cast<void>(0)), ...);
    return found;
  }
  (std::make_integer_sequence<int, most>());
}

}  // namespace

template <class Value, class Index>
BlockSums<Value, Index> block_sums(int block_rows, int block_cols, Simd simd) {
  using Sums = BlockSums<Value, Index>;
#if SPARSECAST_X86
  if (simd == Simd::avx512) {
    constexpr int lanes = Full<Value>::lanes;
    return of_number<Sums>((block_rows * block_cols + lanes - 1) / lanes,
                           []<int n>() { return Sums{groups_avx512<n, Value, Index>}; });
  }
  if (simd == Simd::avx2)
    return of_number<Sums>(block_rows, []<int n>() { return Sums{groups_avx2<n, Value, Index>}; });
#endif
  static_cast<void>(simd);
  static_cast<void>(block_cols);
  return of_number<Sums>(block_rows, []<int n>() { return Sums{groups_portable<n, Value, Index>}; });
}

template BlockSums<float, std::int32_t> block_sums(int, int, Simd);
template BlockSums<float, std::int64_t> block_sums(int, int, Simd);
template BlockSums<double, std::int32_t> block_sums(int, int, Simd);
template BlockSums<double, std::int64_t> block_sums(int, int, Simd);

}  // namespace sparsecast::formats

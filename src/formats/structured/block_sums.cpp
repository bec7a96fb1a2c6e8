#include "formats/structured/block_sums.hpp"

#include <algorithm>

#include "formats/host_product.hpp"
#include "formats/simd/complex_sums.hpp"
#include "formats/simd/prefetch.hpp"

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
          sums[i] = multiply_add(value, x[bsr.column_indices[b] + j], sums[i]);
}

// All slots of a group, one after the other.
template <class Value, class Index>
void sum_group_exactly(const Bsr<Value, Index>& bsr, std::int64_t group, const Value* x, Value* sums) {
  const Value* values = bsr.values.data() + bsr.block_pointers[group] * bsr.block_rows * bsr.block_cols;
  for (std::int64_t b = bsr.block_pointers[group]; b < bsr.block_pointers[group + 1]; ++b)
    for (int j = 0; j < bsr.block_cols; ++j, values += bsr.block_rows)
      for (int i = 0; i < bsr.block_rows; ++i) sums[i] += values[i] * x[bsr.column_indices[b] + j];
}

// Writes the sums of a group, of whose rows the matrix may not have the last ones.
template <int height, class Value, class Index>
SPARSECAST_INLINE void put_sums(const Bsr<Value, Index>& bsr, std::int64_t group, const Value* sums, const Value* x,
                                Value* y) {
  const std::int64_t first = group * height, left = bsr.rows - first;
  bool sound = true;
  for (int i = 0; i < height; ++i) sound &= sums[i] == sums[i];
  if (sound && left >= height) {
    for (int i = 0; i < height; ++i) y[first + i] = sums[i];
    return;
  }
  Value exact[most];
  const int rows = left < height ? static_cast<int>(left) : height;
  if (!sound) sum_group_carefully(bsr, group, rows, x, exact);
  for (int i = 0; i < rows; ++i) y[first + i] = sound ? sums[i] : exact[i];
}

constexpr int lanes_for(int height) { return height <= 1 ? 1 : height <= 2 ? 2 : height <= 4 ? 4 : 8; }

// The compiler's own vector types; each is written out, as in simd/many_vectors.cpp.
template <class Value, int lanes>
struct BlockLanes;
template <class Value>
struct BlockLanes<Value, 1> {
  using Register = Value;
};
#define SPARSECAST_LANES(Value, lanes)                                            \
  template <>                                                                     \
  struct BlockLanes<Value, lanes> {                                               \
    typedef Value Register __attribute__((vector_size((lanes) * sizeof(Value)))); \
  };
SPARSECAST_LANES(float, 2)
SPARSECAST_LANES(float, 4)
SPARSECAST_LANES(float, 8)
SPARSECAST_LANES(double, 2)
SPARSECAST_LANES(double, 4)
SPARSECAST_LANES(double, 8)
#undef SPARSECAST_LANES

// clang-format off
namespace portable {
#define SPARSECAST_SET_ENTRY
#include "formats/structured/block_sums_set.hpp"
#undef SPARSECAST_SET_ENTRY
}  // namespace portable
#if SPARSECAST_X86
namespace avx2 {
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX2
#include "formats/structured/block_sums_set.hpp"
#undef SPARSECAST_SET_ENTRY
}  // namespace avx2
namespace avx512 {
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX512
#include "formats/structured/block_sums_set.hpp"
#undef SPARSECAST_SET_ENTRY
}  // namespace avx512
#endif
// clang-format on

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

// Square blocks have a text of their own each, the others one for every height.
template <class Value, class Index>
BlockSums<Value, Index> real_block_sums(int block_rows, int block_cols, Simd simd) {
  using Sums = BlockSums<Value, Index>;
  const bool square = block_rows == block_cols;
#if SPARSECAST_X86
  if (simd == Simd::avx512)
    return of_number<Sums>(block_rows, [&]<int n>() {
      return square ? Sums{avx512::groups<n, n, Value, Index>} : Sums{avx512::groups<n, 0, Value, Index>};
    });
  if (simd == Simd::avx2)
    return of_number<Sums>(block_rows, [&]<int n>() {
      return square ? Sums{avx2::groups<n, n, Value, Index>} : Sums{avx2::groups<n, 0, Value, Index>};
    });
#endif
  static_cast<void>(simd);
  return of_number<Sums>(block_rows, [&]<int n>() {
    return square ? Sums{portable::groups<n, n, Value, Index>} : Sums{portable::groups<n, 0, Value, Index>};
  });
}

namespace {
template <class Value, class Index, Simd simd>
void complex_groups(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x, Value* y) {
  const auto sum = complex_group<Value, Index>(simd);
  const std::int64_t height = bsr.block_rows, slots = height * bsr.block_cols;
  for (std::int64_t group = first; group < last; ++group) {
    Value sums[most];
    const std::int64_t begin = bsr.block_pointers[group], row = group * height;
    const std::int64_t count = std::min(height, bsr.rows - row);
    sum(bsr.values.data() + begin * slots, bsr.column_indices.data() + begin, bsr.block_pointers[group + 1] - begin,
        height, bsr.block_cols, x, sums);
    if (std::any_of(sums, sums + count, [](Value one) { return one != one; }))
      sum_group_carefully(bsr, group, static_cast<int>(count), x, sums);
    std::copy(sums, sums + count, y + row);
  }
}
}  // namespace

template <class Value, class Index>
BlockSums<Value, Index> block_sums(int block_rows, int block_cols, Simd simd) {
  if constexpr (is_complex_value<Value>) {
    if (simd == Simd::avx512) return {complex_groups<Value, Index, Simd::avx512>};
    return {complex_groups<Value, Index, Simd::portable>};
  } else {
    return real_block_sums<Value, Index>(block_rows, block_cols, simd);
  }
}

#define SPARSECAST_INSTANTIATE(Value, Index) template BlockSums<Value, Index> block_sums(int, int, Simd);
SPARSECAST_FOR_ALL_INDICES(SPARSECAST_INSTANTIATE)
#undef SPARSECAST_INSTANTIATE
}  // namespace sparsecast::formats

#include "formats/simd/many_vectors.hpp"

#include "formats/parts/sizes.hpp"
#include "formats/simd/prefetch.hpp"

#if SPARSECAST_X86
#include <immintrin.h>
#endif

namespace sparsecast::formats {
namespace {
// With more vectors than a tile has, rows are gone through several times while their entries are in the first cache.
constexpr std::int64_t rows_at_once = 64;

// How a row of y is written. Rows of few entries take half as long where nothing is asked about it for each.
enum class Ending {
  near,         ///< overwritten; x and y are in the caches
  past_caches,  ///< overwritten in memory
  any           ///< as the task says
};
template <class Value>
Ending ending_of(const BlockTask<Value>& task) {
  if (task.past_caches) return Ending::past_caches;
  return task.beta == 0 && task.y_vector == 1 && !task.far_vectors ? Ending::near : Ending::any;
}

// The compiler's own vector types, loaded and stored by memcpy, which needs no alignment. Each is written out: a size
// that depends on a template's parameters is dropped on the way through it.
template <class Value, int lanes>
struct Lanes;
template <class Value>
struct Lanes<Value, 1> {
  using Register = Value;
};
#define SPARSECAST_LANES(Value, lanes)                                            \
  template <>                                                                     \
  struct Lanes<Value, lanes> {                                                    \
    typedef Value Register __attribute__((vector_size((lanes) * sizeof(Value)))); \
  };
SPARSECAST_LANES(float, 2)
SPARSECAST_LANES(float, 4)
SPARSECAST_LANES(float, 8)
SPARSECAST_LANES(float, 16)
SPARSECAST_LANES(double, 2)
SPARSECAST_LANES(double, 4)
SPARSECAST_LANES(double, 8)
#undef SPARSECAST_LANES

// clang-format off
namespace portable {
#define SPARSECAST_SET SPARSECAST_INLINE
#define SPARSECAST_SET_STEP __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY
#define SPARSECAST_SET_BYTES 16
#include "formats/simd/many_vectors_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
#undef SPARSECAST_SET_BYTES
}  // namespace portable
#if SPARSECAST_X86
namespace avx2 {
#define SPARSECAST_SET SPARSECAST_AVX2 SPARSECAST_INLINE
#define SPARSECAST_SET_STEP SPARSECAST_AVX2 __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX2
#define SPARSECAST_SET_BYTES 32
#include "formats/simd/many_vectors_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
#undef SPARSECAST_SET_BYTES
}  // namespace avx2
namespace avx512 {
#define SPARSECAST_SET SPARSECAST_AVX512 SPARSECAST_INLINE
#define SPARSECAST_SET_STEP SPARSECAST_AVX512 __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX512
#define SPARSECAST_SET_BYTES 64
#include "formats/simd/many_vectors_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
#undef SPARSECAST_SET_BYTES
}  // namespace avx512
#endif
// clang-format on
}  // namespace

template <class Value, class Offset, class Index>
BlockRows<Value, Offset, Index> block_rows(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {avx512::rows<Value, Offset, Index>};
  if (simd == Simd::avx2) return {avx2::rows<Value, Offset, Index>};
#endif
  static_cast<void>(simd);
  return {portable::rows<Value, Offset, Index>};
}

template <class Value, class Index>
BlockSlices<Value, Index> block_slices(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {avx512::slice<Value, Index>};
  if (simd == Simd::avx2) return {avx2::slice<Value, Index>};
#endif
  static_cast<void>(simd);
  return {portable::slice<Value, Index>};
}

template <class Value>
BlockDiagonals<Value> block_diagonals(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {avx512::diagonal_slice<Value>};
  if (simd == Simd::avx2) return {avx2::diagonal_slice<Value>};
#endif
  static_cast<void>(simd);
  return {portable::diagonal_slice<Value>};
}

template <class Value, class Index>
BlockGroups<Value, Index> block_groups(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return {avx512::block_group<Value, Index>};
  if (simd == Simd::avx2) return {avx2::block_group<Value, Index>};
#endif
  static_cast<void>(simd);
  return {portable::block_group<Value, Index>};
}

#define SPARSECAST_INSTANTIATE(Value)                                     \
  template BlockRows<Value, std::int32_t, std::int32_t> block_rows(Simd); \
  template BlockRows<Value, std::int64_t, std::int32_t> block_rows(Simd); \
  template BlockRows<Value, std::int64_t, std::int64_t> block_rows(Simd); \
  template BlockSlices<Value, std::int32_t> block_slices(Simd);           \
  template BlockSlices<Value, std::int64_t> block_slices(Simd);           \
  template BlockDiagonals<Value> block_diagonals(Simd);                   \
  template BlockGroups<Value, std::int32_t> block_groups(Simd);           \
  template BlockGroups<Value, std::int64_t> block_groups(Simd);
SPARSECAST_INSTANTIATE(float)
SPARSECAST_INSTANTIATE(double)
}  // namespace sparsecast::formats

#include "formats/simd/vector_loops.hpp"

#if SPARSECAST_X86
#include <immintrin.h>
#endif

namespace sparsecast::formats {
namespace {
// The compiler's own vector type, loaded and stored by memcpy, which needs no alignment.
typedef double Eight __attribute__((vector_size(64)));

// clang-format off
namespace portable_vectors {
#define SPARSECAST_SET SPARSECAST_INLINE
#define SPARSECAST_SET_STEP __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY
SPARSECAST_SET void put_around(const Eight& from, double* to) { __builtin_memcpy(to, &from, sizeof from); }
SPARSECAST_SET void fence() {}
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
}  // namespace portable_vectors
#if SPARSECAST_X86
namespace avx2_vectors {
#define SPARSECAST_SET SPARSECAST_AVX2 SPARSECAST_INLINE
#define SPARSECAST_SET_STEP SPARSECAST_AVX2 __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX2
SPARSECAST_SET void put_around(const Eight& from, double* to) {
  __m256d halves[2];
  __builtin_memcpy(halves, &from, sizeof halves);
  _mm256_stream_pd(to, halves[0]);
  _mm256_stream_pd(to + 4, halves[1]);
}
SPARSECAST_SET void fence() { _mm_sfence(); }
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
}  // namespace avx2_vectors
namespace avx512_vectors {
#define SPARSECAST_SET SPARSECAST_AVX512 SPARSECAST_INLINE
#define SPARSECAST_SET_STEP SPARSECAST_AVX512 __attribute__((always_inline))
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX512
SPARSECAST_SET void put_around(const Eight& from, double* to) {
  __m512d whole;
  __builtin_memcpy(&whole, &from, sizeof whole);
  _mm512_stream_pd(to, whole);
}
SPARSECAST_SET void fence() { _mm_sfence(); }
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_STEP
#undef SPARSECAST_SET_ENTRY
}  // namespace avx512_vectors
#endif
// clang-format on
}  // namespace

const VectorLoops& vector_loops(Simd simd, Stores stores) {
  const bool around = stores == Stores::around;
#if SPARSECAST_X86
  if (simd == Simd::avx512)
    return around ? avx512_vectors::all_loops<Stores::around> : avx512_vectors::all_loops<Stores::kept>;
  if (simd == Simd::avx2)
    return around ? avx2_vectors::all_loops<Stores::around> : avx2_vectors::all_loops<Stores::kept>;
#endif
  static_cast<void>(simd);
  return around ? portable_vectors::all_loops<Stores::around> : portable_vectors::all_loops<Stores::kept>;
}

const VectorLoops& vector_loops(Stores stores) { return vector_loops(best_simd(), stores); }
}  // namespace sparsecast::formats

#include "formats/simd/vector_loops.hpp"

namespace sparsecast::formats {
namespace {

// The compiler's own vector type, loaded and stored by memcpy, which needs no alignment.
typedef double Eight __attribute__((vector_size(64)));

// clang-format off
namespace portable_vectors {
#define SPARSECAST_SET SPARSECAST_INLINE
#define SPARSECAST_SET_ENTRY
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_ENTRY
}  // namespace portable_vectors
#if SPARSECAST_X86
namespace avx2_vectors {
#define SPARSECAST_SET SPARSECAST_AVX2 SPARSECAST_INLINE
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX2
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_ENTRY
}  // namespace avx2_vectors
namespace avx512_vectors {
#define SPARSECAST_SET SPARSECAST_AVX512 SPARSECAST_INLINE
#define SPARSECAST_SET_ENTRY SPARSECAST_AVX512
#include "formats/simd/vector_loops_set.hpp"
#undef SPARSECAST_SET
#undef SPARSECAST_SET_ENTRY
}  // namespace avx512_vectors
#endif
// clang-format on

}  // namespace

const VectorLoops& vector_loops(Simd simd) {
#if SPARSECAST_X86
  if (simd == Simd::avx512) return avx512_vectors::all_loops;
  if (simd == Simd::avx2) return avx2_vectors::all_loops;
#endif
  static_cast<void>(simd);
  return portable_vectors::all_loops;
}

const VectorLoops& vector_loops() { return vector_loops(best_simd()); }

}  // namespace sparsecast::formats

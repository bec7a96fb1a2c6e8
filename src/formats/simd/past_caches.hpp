#pragma once
// When the rows of y go past the caches: they are written whole and not read, so that memory need not fetch what is
// overwritten. Worth it where a product's matrix and vectors do not fit the last cache.

#include <cstdint>

#include "formats/simd/simd.hpp"

namespace sparsecast::formats {

/// The last cache of the first processor, of which such stores are part; 0 where it is not known.
[[nodiscard]] std::int64_t last_cache_bytes();

/// After such stores, before others are told that they are done.
inline void finish_past_caches() {
#if SPARSECAST_X86
  __builtin_ia32_sfence();
#endif
}

}  // namespace sparsecast::formats

#pragma once
// Values and column indices are read once, in order; asking for them well ahead keeps more of the memory's parallelism
// busy than the processor's own prefetcher does. On the machine that the published results are from, 4 KB ahead takes
// 0.52 ns per non-zero where none takes 0.82 (7-point rows from memory); 0.5 and 1 KB gain less, 8 KB no more.

#include <cstdint>

#include "formats/simd.hpp"

namespace sparsecast {

inline constexpr std::int64_t prefetch_bytes = 4096;

/// Asks for the cache line so many bytes behind `from`. The address need not exist: a prefetch never faults.
SPARSECAST_INLINE void prefetch(const void* from, std::int64_t bytes = 0) {
  __builtin_prefetch(
      reinterpret_cast<const void*>(reinterpret_cast<std::uintptr_t>(from) + static_cast<std::uintptr_t>(bytes)));
}

/// Asks for the entries that a stream of non-zeros reaches after prefetch_bytes of values.
template <class Value, class Index>
SPARSECAST_INLINE void prefetch_stream(const Value* values, const Index* columns) {
  prefetch(values, prefetch_bytes);
  prefetch(columns,
           prefetch_bytes * static_cast<std::int64_t>(sizeof(Index)) / static_cast<std::int64_t>(sizeof(Value)));
}

}  // namespace sparsecast

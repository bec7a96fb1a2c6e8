#pragma once
// The inner loops of compact storage (sell_compact.hpp), in the versions of simd.hpp: one text, in which how values and
// columns are decoded are two template parameters.

#include "formats/sell_compact.hpp"

namespace sparsecast::formats {
/// Sums of the rows in the slices first … last − 1 to their places in y.
template <class Value>
using CompactSums = void (*)(const SellCompact<Value>& sell, std::int64_t first, std::int64_t last, const Value* x,
                             Value* y);
/// y += (rows in those slices)ᵀ·(entries of x in their places).
template <class Value>
using CompactScatter = CompactSums<Value>;
template <class Value>
[[nodiscard]] CompactScatter<Value> compact_scatter(StoredValues kind, Simd simd = best_simd());
/// Of matrices whose values are stored so.
template <class Value>
[[nodiscard]] CompactSums<Value> compact_sums(StoredValues kind, Simd simd = best_simd());
}  // namespace sparsecast::formats

#pragma once
// The inner loops of BSR, in the versions of simd.hpp. Portable and AVX2: the rows of a block side by side, a text for
// every height. AVX-512: the values of a block as they lie in memory, as many vectors of them as a block fills, each
// with sums of its own; x of the block is loaded once and spread over the lanes by a permutation that the shape fixes.

#include <cstdint>

#include "formats/simd/simd.hpp"
#include "formats/structured/bsr.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
struct BlockSums {
  /// y of the rows in the groups first … last − 1.
  void (*groups)(const Bsr<Value, Index>& bsr, std::int64_t first, std::int64_t last, const Value* x, Value* y);
};

/// For blocks of that shape.
template <class Value, class Index>
[[nodiscard]] BlockSums<Value, Index> block_sums(int block_rows, int block_cols, Simd simd = best_simd());

}  // namespace sparsecast::formats

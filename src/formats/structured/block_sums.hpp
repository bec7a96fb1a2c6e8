#pragma once
// The inner loops of BSR, in the versions of simd.hpp: a column of a block is a vector and its entry of x a number that
// all lanes take. A text for every height, and one more for square blocks, whose width the compiler then knows.

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

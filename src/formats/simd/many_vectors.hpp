#pragma once
// The inner loops of products with several vectors side by side, in the versions of simd.hpp: every entry of the matrix
// is read once and multiplies a run of neighbouring values of x.

#include "formats/csr.hpp"
#include "formats/simd/simd.hpp"

namespace sparsecast::formats {
/// y = alpha·A·x + beta·y with x by rows: entry i of vector v is x[i·x_stride + v], and y[i·y_row + v·y_vector]. y is
/// not read where beta is 0.
template <class Value>
struct BlockTask {
  const Value* x = nullptr;
  std::int64_t x_stride = 1, vectors = 1;
  Value* y = nullptr;
  std::int64_t y_row = 1, y_vector = 1;
  Value alpha = 1, beta = 0;
  /// Where β is 0 and rows of y fill lines (block_task): they are written past the caches.
  bool past_caches = false;
  /// x and y take half the last cache or more, or its size is not known: rows of x are asked for ahead.
  bool far_vectors = false;
};

template <class Value, class Offset, class Index>
struct BlockRows {
  /// Rows first … last − 1; row r goes to row r of y.
  void (*rows)(const CsrArrays<Value, Offset, Index>& csr, std::int64_t first, std::int64_t last,
               const BlockTask<Value>& task);
};

/// A slice of SELL: `lanes` rows, of which the matrix has `rows`; their entries lie `lanes` apart, padding behind each
/// row's own.
template <class Value, class Index>
struct BlockSlice {
  const Value* values = nullptr;
  const Index* columns = nullptr;
  std::int64_t width = 0, lanes = 8;
  const Index* places = nullptr;  ///< lane i goes to row places[i] of y, or where it is nullptr to first_row + i
  std::int64_t first_row = 0, rows = 0;
};
template <class Value, class Index>
struct BlockSlices {
  void (*slice)(const BlockSlice<Value, Index>& slice, const BlockTask<Value>& task);
};

/// A slice of DIA: slots on the diagonals dia_lanes apart, padding as in parts/sizes.hpp.
inline constexpr std::int64_t dia_lanes = 8;
template <class Value>
struct BlockDiagonals {
  /// Row i of its `rows` ≤ dia_lanes goes to row first_row + i of y.
  void (*slice)(const Value* values, const std::int64_t* diagonals, std::int64_t count, std::int64_t first_row,
                std::int64_t rows, const BlockTask<Value>& task);
};

/// The blocks of `height` rows of BSR, of which the matrix has `rows`.
template <class Value, class Index>
struct BlockRowGroup {
  const Value* values = nullptr;
  const Index* columns = nullptr;
  std::int64_t blocks = 0;
  int height = 1, width = 1;
  std::int64_t first_row = 0;
  int rows = 1;
};
template <class Value, class Index>
struct BlockGroups {
  void (*group)(const BlockRowGroup<Value, Index>& group, const BlockTask<Value>& task);
};

template <class Value, class Offset, class Index>
[[nodiscard]] BlockRows<Value, Offset, Index> block_rows(Simd simd = best_simd());
template <class Value, class Index>
[[nodiscard]] BlockSlices<Value, Index> block_slices(Simd simd = best_simd());
template <class Value>
[[nodiscard]] BlockDiagonals<Value> block_diagonals(Simd simd = best_simd());
template <class Value, class Index>
[[nodiscard]] BlockGroups<Value, Index> block_groups(Simd simd = best_simd());
}  // namespace sparsecast::formats

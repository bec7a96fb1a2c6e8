#pragma once
// SELL-C-σ: slices of C rows, each padded to its own longest row and stored column by column; rows are sorted by length
// within windows of σ rows first, so that rows of a slice are about equally long (Kreutzer et al. 2014, section 3).

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
template <class Value, class Index>
struct Sell {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int slice_rows = 0;                  ///< C
  int sort_rows = 1;                   ///< σ; 1: rows are not sorted
  Array<std::int64_t> slice_pointers;  ///< slices + 1; slot at which each slice begins
  Array<Index> permutation;            ///< row of the matrix at each position of a slice; empty where σ is 1
  Array<Index>
      column_indices;   ///< slot of row i of a slice in its column k: its begin + k·C + i; padding_column if none
  Array<Value> values;  ///< 0 in padded slots; the last slice is padded to C rows

  [[nodiscard]] std::int64_t slices() const { return static_cast<std::int64_t>(slice_pointers.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;
};

/// C and σ of the kernels here. Host: eight rows fill one vector of double. GPU: a slice is a warp. All are counted
/// shapes; sorting within 1024 rows evens slices out without moving rows far from their x.
struct SellShape {
  int slice_rows, sort_rows;
  friend constexpr bool operator==(const SellShape&, const SellShape&) = default;
};
inline constexpr SellShape host_sell{8, 1024}, gpu_sell{32, 1024};
/// Variants on the host: rows in their own order, which saves the permutation and where sums go; and taller slices,
/// several vectors whose sums do not wait for each other and half or a quarter of the row ends, for more padding.
inline constexpr SellShape unsorted_sell{8, 1}, tall_sell{16, 1024}, taller_sell{32, 1024};

/// Error failed where the Structure did not count that shape (counted_slice_shapes).
[[nodiscard]] std::int64_t sell_bytes(const Structure& structure, int slice_rows, int sort_rows, int value_bytes);
/// What lies where: slice_pointers and permutation, without columns and values. Index must hold rows and cols.
template <class Value, class Index>
[[nodiscard]] Sell<Value, Index> sell_slices(const Matrix& matrix, int slice_rows, int sort_rows, int threads);
/// Index must hold rows and cols.
template <class Value, class Index>
[[nodiscard]] Sell<Value, Index> to_sell(const Matrix& matrix, int slice_rows, int sort_rows, int threads);
}  // namespace sparsecast::formats

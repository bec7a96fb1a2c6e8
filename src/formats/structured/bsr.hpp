#pragma once
// BSR: blocks of r × c values under one column index (Structure::dense_blocks tells the shape and how well it is
// filled). Rows are taken r at a time from the first on; in columns a block begins at the first entry that none before
// holds, so blocks need not be aligned. Im & Yelick 2001, "Optimizing sparse matrix computations for register reuse in
// SPARSITY", with free starts.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
template <class Value, class Index>
struct Bsr {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  int block_rows = 0;                  ///< r; the last r rows of the matrix may be fewer
  int block_cols = 0;                  ///< c ≤ cols
  Array<std::int64_t> block_pointers;  ///< block at which each r rows begin, and the number of blocks
  Array<Index> column_indices;         ///< first column of every block, at most cols − c
  Array<Value> values;                 ///< r·c of every block, column by column; padding as in parts/sizes.hpp

  [[nodiscard]] std::int64_t row_groups() const { return static_cast<std::int64_t>(block_pointers.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t bsr_bytes(const Structure& structure, int value_bytes);
/// Why the form is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string bsr_refusal(const Structure& structure);
/// Index must hold rows and cols. Where no shape is filled well, the matrix is stored in blocks of one entry.
template <class Value, class Index>
[[nodiscard]] Bsr<Value, Index> to_bsr(const Matrix& matrix, int threads);

/// BSR as vendors' libraries have it: squares that begin at multiples of their side, each row by row.
template <class Value>
struct AlignedBlocks {
  std::vector<std::int32_t> pointers{0}, columns;  ///< columns ascend within the rows of a block
  std::vector<Value> values;
};
template <class Value>
[[nodiscard]] AlignedBlocks<Value> to_aligned_blocks(const Matrix& matrix, std::int64_t side);
}  // namespace sparsecast::formats

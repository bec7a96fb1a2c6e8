#pragma once
// ELLPACK: every row padded to the same width, stored column by column so that neighbouring rows are neighbours in
// memory (Bell & Garland 2009, section 4.2). Slot k of row r lies at k·rows + r.

#include "formats/workload.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
struct Ell {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  std::int64_t width = 0;
  Array<Index> column_indices;  ///< rows·width; padding_column where the row has no more non-zeros
  Array<Value> values;          ///< rows·width; 0 in padded slots

  [[nodiscard]] std::int64_t bytes() const;
};

/// Bytes at a given width (HYB's regular part as well).
[[nodiscard]] std::int64_t ell_bytes(std::int64_t rows, std::int64_t cols, std::int64_t width, int value_bytes);
/// At the width of the longest row.
[[nodiscard]] std::int64_t ell_bytes(const Structure& structure, int value_bytes);

/// The first `width` non-zeros of every row. Index must hold rows and cols. Error failed where the size overflows.
template <class Value, class Index>
[[nodiscard]] Ell<Value, Index> to_ell(const Matrix& matrix, int threads, std::int64_t width);
/// As wide as the longest row.
template <class Value, class Index>
[[nodiscard]] Ell<Value, Index> to_ell(const Matrix& matrix, int threads);

// y = A·x on ELL arrays, rows dealt to `parts` threads (the ELL kernel and the regular part of HYB).

/// Columns that are walked through side by side; more are added block by block of lane_block rows.
inline constexpr std::int64_t most_streams = 32;

template <class Value, class Index>
void multiply_ell(const Ell<Value, Index>& ell, int parts, std::span<const Value> x, std::span<Value> y);
/// y += alpha·(rows of that part)ᵀ·x on the calling thread.
template <class Value, class Index>
void add_transposed_ell(const Ell<Value, Index>& ell, int part, int parts, Value alpha, const Value* x, Value* y);
/// The values of the first `width` entries of every row, of a matrix with the same pattern.
template <class Value, class Index>
void update_ell(Ell<Value, Index>& ell, const Matrix& matrix, int parts);

/// What that does at a width: blocks begun, streams that alias, vectors of eight slots that lie in two cache lines.
void count_ell(std::int64_t width, const WorkContext& context, Workload& workload);
/// What predicting the padding fails at. A vector of eight rows is taken in another way once padding has begun, and a
/// branch decides. Row by row the place is a length to predict; column by column every group that differs from the one
/// before is another answer: `turns` (RowGroups).
[[nodiscard]] double padding_mispredictions(const RowGroups& groups, std::int64_t width, std::int64_t turns);
}  // namespace sparsecast::formats

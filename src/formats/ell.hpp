#pragma once
// ELLPACK: every row padded to the same width, stored column by column so that neighbouring rows are neighbours in
// memory (Bell & Garland 2009, section 4.2). Slot k of row r lies at k·rows + r.

#include <cstdint>
#include <sparsecast/array.hpp>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>

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

}  // namespace sparsecast::formats

#pragma once
// DIA: the dense diagonals (Structure::dense_diagonals) without column indices, the rest as rows of entries. Slices of
// eight rows hold their piece of every diagonal one after the other, so that a product reads one stream and keeps eight
// sums in a register. After the DIA of Bell & Garland 2009, section 4.1, which holds whole diagonals.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
/// Entries off the dense diagonals, of one part of the rows: those of row rows[i] end at ends[i] and begin where the
/// row before ends.
template <class Value, class Index>
struct DiaRest {
  Array<Index> rows;
  Array<std::int64_t> ends;
  Array<Index> column_indices;
  Array<Value> values;
};

template <class Value, class Index>
struct Dia {
  static constexpr std::int64_t slice_rows = 8;

  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<std::int64_t> diagonals;            ///< column − row, ascending
  Array<Value> values;                      ///< slot of row i of a slice on diagonal d: (slice·diagonals + d)·8 + i
  std::vector<DiaRest<Value, Index>> rest;  ///< of every part: slices in order, as many each as part_begin() says

  [[nodiscard]] std::int64_t slices() const { return (rows + slice_rows - 1) / slice_rows; }
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t dia_bytes(const Structure& structure, int value_bytes);
/// Why the form is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string dia_refusal(const Structure& structure);
/// Index must hold rows and cols. The slices are dealt to `threads` parts.
template <class Value, class Index>
[[nodiscard]] Dia<Value, Index> to_dia(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats

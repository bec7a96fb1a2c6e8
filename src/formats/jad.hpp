#pragma once
// Jagged diagonals: rows sorted by length, longest first; "diagonal" d holds the d-th non-zero of every row that has
// one, row after row, without padding (Saad 1989; Li & Saad 2013, section 2.2).

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
template <class Value, class Index>
struct Jad {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<Index> permutation;               ///< row of the matrix at each sorted position; equal lengths keep their order
  Array<std::int64_t> diagonal_pointers;  ///< longest row + 1; where each diagonal begins
  Array<Index> column_indices;            ///< slot of position p in diagonal d: diagonal_pointers[d] + p
  Array<Value> values;

  [[nodiscard]] std::int64_t diagonals() const { return static_cast<std::int64_t>(diagonal_pointers.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;
};

[[nodiscard]] std::int64_t jad_bytes(const Structure& structure, int value_bytes);
/// Index must hold rows and cols.
template <class Value, class Index>
[[nodiscard]] Jad<Value, Index> to_jad(const Matrix& matrix, int threads);
}  // namespace sparsecast::formats

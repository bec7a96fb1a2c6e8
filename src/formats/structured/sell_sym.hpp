#pragma once
// SELL-SYM: of a symmetric matrix the entries below the diagonal, in slices of eight rows, and the diagonal. As in
// CSR-SYM an entry is read once and added twice; here eight rows are multiplied at a time. Rows of a slice are of one
// length where there are enough of them, and apart from each other, so that what a column of a slice adds to y goes to
// eight different places. There is no padding: where rows of a slice differ in length, its last columns are shorter.

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
template <class Value, class Index>
struct SellSym {
  static constexpr std::int64_t slice_rows = 8;
  /// Rows whose order changes: few enough that what they read of x and add to y stays in the first cache.
  static constexpr std::int64_t window_rows = 1024;

  std::int64_t rows = 0;
  std::vector<std::int64_t> parts;     ///< first row of each part, a multiple of eight, and rows; windows begin there
  Array<std::int64_t> slice_pointers;  ///< slices + 1, of the entries below the diagonal
  Array<Index> permutation;            ///< row at each position of a slice
  Array<Index> lengths;                ///< of each of them, below the diagonal; descending within a slice
  Array<Index> column_indices;  ///< column k of a slice: the k-th entry of its rows that have one, the first ones
  Array<Value> values;
  Array<Value> diagonal;  ///< by rows; padding (parts/sizes.hpp) where a row has no entry there

  [[nodiscard]] std::int64_t slices() const { return static_cast<std::int64_t>(slice_pointers.size()) - 1; }
  [[nodiscard]] std::int64_t bytes() const;
  /// Calls work(slot, row, k) for the entries of a slice in the order of its slots: the k-th of that row.
  template <class Work>
  void for_each_slot(std::int64_t slice, const Work& work) const {
    const std::int64_t first = slice * slice_rows;
    std::int64_t slot = slice_pointers[slice], having = first + slice_rows < rows ? slice_rows : rows - first;
    for (std::int64_t k = 0; k < lengths[first]; ++k) {
      while (lengths[first + having - 1] <= k) --having;
      for (std::int64_t lane = 0; lane < having; ++lane, ++slot) work(slot, permutation[first + lane], k);
    }
  }
  /// The values of a symmetric matrix with the same pattern; of another one no access is out of bounds.
  void update(const Matrix& matrix);
};

/// Those of csr where the structure says that the matrix is not symmetric, which is then multiplied as it is.
[[nodiscard]] std::int64_t sell_sym_bytes(const Structure& structure, int value_bytes);
/// Why the form is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string sell_sym_refusal(const Structure& structure);
/// Index must hold rows. The matrix is its own transpose: what is above the diagonal is not looked at. Rows are cut
/// into `parts` by their entries below the diagonal.
template <class Value, class Index>
[[nodiscard]] SellSym<Value, Index> to_sell_sym(const Matrix& matrix, int parts);
}  // namespace sparsecast::formats

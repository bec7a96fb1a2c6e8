#pragma once
// Coordinates: row, column and value of every non-zero, in the order of the rows. Needs no row pointers, so its work
// does not depend on how the non-zeros are spread over the rows (Bell & Garland 2009, section 4.3).

#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
template <class Value, class Index>
struct Coo {
  std::int64_t rows = 0;
  std::int64_t cols = 0;
  Array<Index> row_indices;     ///< ascending
  Array<Index> column_indices;  ///< ascending within a row
  Array<Value> values;

  [[nodiscard]] std::int64_t bytes() const;
};

/// Bytes of so many non-zeros (HYB's overflow as well).
[[nodiscard]] std::int64_t coo_bytes(std::int64_t rows, std::int64_t cols, std::int64_t nonzeros, int value_bytes);
[[nodiscard]] std::int64_t coo_bytes(const Structure& structure, int value_bytes);

/// The non-zeros of each row from its `skip`-th on (HYB's overflow; 0: all). Index must hold rows and cols.
template <class Value, class Index>
[[nodiscard]] Coo<Value, Index> to_coo(const Matrix& matrix, int threads, std::int64_t skip = 0);

// y = A·x or y += A·x on COO arrays, non-zeros dealt evenly to `parts` threads (the COO kernel and HYB's overflow).

/// y = A·x; rows without non-zeros are set to 0.
template <class Value, class Index>
void multiply_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y);
/// y += A·x.
template <class Value, class Index>
void add_coo(const Coo<Value, Index>& coo, int parts, std::span<const Value> x, std::span<Value> y);

/// y += alpha·(non-zeros of that part)ᵀ·x on the calling thread.
template <class Value, class Index>
void add_transposed_coo(const Coo<Value, Index>& coo, int part, int parts, Value alpha, const Value* x, Value* y);
/// The values of each row from its `skip`-th non-zero on, of a matrix with the same pattern.
template <class Value, class Index>
void update_coo(Coo<Value, Index>& coo, const Matrix& matrix, std::int64_t skip, int parts);
}  // namespace sparsecast::formats

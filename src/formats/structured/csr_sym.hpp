#pragma once
// CSR-SYM: of a symmetric matrix the entries below the diagonal, in CSR, and the diagonal. A product takes each entry
// twice, for its own row and for the mirrored one, and so reads half of the matrix.

#include "formats/workload.hpp"

namespace sparsecast::formats {
template <class Value, class Index>
struct CsrSym {
  std::int64_t rows = 0;
  Array<std::int64_t> row_pointers;  ///< rows + 1, of the entries below the diagonal
  Array<Index> column_indices;
  Array<Value> values;
  Array<Value> diagonal;  ///< rows; padding (parts/sizes.hpp) where a row has no entry there

  [[nodiscard]] std::int64_t bytes() const;
};

/// Those of csr where the structure says that the matrix is not symmetric, which is then multiplied as it is.
[[nodiscard]] std::int64_t csr_sym_bytes(const Structure& structure, int value_bytes);
/// Why the form is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string csr_sym_refusal(const Structure& structure);
/// Index must hold rows. The matrix is its own transpose: what is above the diagonal is not looked at.
template <class Value, class Index>
[[nodiscard]] CsrSym<Value, Index> to_csr_sym(const Matrix& matrix, int threads);

/// What a product counts of half of the entries, each added twice, with the rows' ends of CSR.
void count_mirrored(const Structure& structure, const WorkContext& context, Workload& workload);
}  // namespace sparsecast::formats

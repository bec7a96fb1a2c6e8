#pragma once
// CSR-DELTA: CSR whose columns are kept as differences, in one byte or two instead of four, to the lowest column that
// the rows of their block may have. Row pointers and values are those of CSR. Made for matrices whose entries are near
// the diagonal; from memory their products are as much faster as their columns are shorter.

#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <sparsecast/structure.hpp>
#include <string>

namespace sparsecast::formats {

/// How the columns of a matrix are kept whose entries are at most `reach` from the diagonal: |row − column|.
struct DeltaShape {
  std::int64_t reach = 0;
  int column_bytes = 0;         ///< 1 or 2; 0: too far for either
  std::int64_t block_rows = 1;  ///< as many as the differences allow

  /// The column from which those of a row are counted.
  [[nodiscard]] std::int64_t first_column(std::int64_t row) const {
    const std::int64_t lowest = row / block_rows * block_rows - reach;
    return lowest > 0 ? lowest : 0;
  }
};
[[nodiscard]] DeltaShape delta_shape(std::int64_t reach);
/// Structure::diagonal_bandwidth, whatever the order within the rows.
[[nodiscard]] std::int64_t reach_of(const Matrix& matrix, int threads);

/// Those of csr where the entries are too far from the diagonal, which is what is then built.
[[nodiscard]] std::int64_t csr_delta_bytes(const Structure& structure, int value_bytes);
/// Why the form is not worth building for such a matrix; empty where it is.
[[nodiscard]] std::string csr_delta_refusal(const Structure& structure);

}  // namespace sparsecast::formats

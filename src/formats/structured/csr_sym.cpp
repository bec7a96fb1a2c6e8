#include "formats/structured/csr_sym.hpp"

#include <algorithm>

#include "formats/csr.hpp"
#include "formats/parts/padding_value.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
std::int64_t CsrSym<Value, Index>::bytes() const {
  return array_bytes(row_pointers) + array_bytes(column_indices) + array_bytes(values) + array_bytes(diagonal);
}

std::int64_t csr_sym_bytes(const Structure& structure, int value_bytes) {
  if (structure.symmetry.symmetric != 1) return csr_bytes(structure, value_bytes);
  const std::int64_t below = (structure.nonzeros - structure.symmetry.diagonal) / 2, offset = sizeof(std::int64_t);
  return saturating_sum(saturating_product(below, index_bytes(structure.rows, structure.cols) + value_bytes),
                        (structure.rows + 1) * offset + structure.rows * value_bytes);
}

std::string csr_sym_refusal(const Structure& structure) {
  if (structure.symmetry.symmetric < 0) return "the structure does not tell whether the values are symmetric";
  if (structure.symmetry.symmetric == 0) return "its values are not symmetric";
  if (csr_sym_bytes(structure, 8) > csr_bytes(structure, 8)) return "it is all diagonal";
  return {};
}

template <class Value, class Index>
CsrSym<Value, Index> to_csr_sym(const Matrix& matrix, int threads) {
  const std::int64_t rows = matrix.rows();
  CsrSym<Value, Index> sym{rows, {}, {}, {}, {}};
  allocate(sym.row_pointers, rows + 1, "csr-sym");
  allocate(sym.diagonal, rows, "csr-sym");
  sym.row_pointers[0] = 0;
  matrix.visit([&](const auto& csr) {
    const auto columns = csr.column_indices.begin();
    const auto first_from = [&](std::int64_t row) {  // of the row's entries, on the diagonal or behind it
      return std::lower_bound(columns + csr.row_pointers[row], columns + csr.row_pointers[row + 1], row) - columns;
    };
    for_each_part(threads, [&](int part) {
      for (std::int64_t row = part_begin(rows, part, threads); row < part_begin(rows, part + 1, threads); ++row)
        sym.row_pointers[row + 1] = first_from(row) - csr.row_pointers[row];
    });
    for (std::int64_t row = 0; row < rows; ++row) sym.row_pointers[row + 1] += sym.row_pointers[row];
    allocate(sym.column_indices, sym.row_pointers[rows], "csr-sym");
    allocate(sym.values, sym.row_pointers[rows], "csr-sym");

    const auto bounds = rows_by_nonzeros(sym.row_pointers.data(), rows, threads);
    for_each_part(threads, [&](int part) {
      for (std::int64_t row = bounds[part]; row < bounds[part + 1]; ++row) {
        std::int64_t from = csr.row_pointers[row];
        for (std::int64_t k = sym.row_pointers[row]; k < sym.row_pointers[row + 1]; ++k, ++from) {
          sym.column_indices[k] = static_cast<Index>(csr.column_indices[from]);
          sym.values[k] = static_cast<Value>(csr.values[from]);
        }
        const bool filled = from < csr.row_pointers[row + 1] && csr.column_indices[from] == row;
        sym.diagonal[row] = filled ? stored<Value>(csr.values[from]) : padding_value<Value>;
      }
    });
  });
  return sym;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct CsrSym<Value, Index>;      \
  template CsrSym<Value, Index> to_csr_sym(const Matrix&, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)

}  // namespace sparsecast::formats

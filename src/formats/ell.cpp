#include "formats/ell.hpp"

#include "formats/parts/row_lengths.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
std::int64_t Ell<Value, Index>::bytes() const {
  return array_bytes(column_indices) + array_bytes(values);
}

std::int64_t ell_bytes(std::int64_t rows, std::int64_t cols, std::int64_t width, int value_bytes) {
  return saturating_product(saturating_product(rows, width), index_bytes(rows, cols) + value_bytes);
}

std::int64_t ell_bytes(const Structure& structure, int value_bytes) {
  return ell_bytes(structure.rows, structure.cols, structure.row_max, value_bytes);
}

template <class Value, class Index>
Ell<Value, Index> to_ell(const Matrix& matrix, int threads, std::int64_t width) {
  // Rows are transposed block by block: their entries stay in cache while each column's slots are written in a run.
  constexpr std::int64_t block = 64;
  Ell<Value, Index> ell{matrix.rows(), matrix.cols(), width, {}, {}};
  const std::int64_t slots = saturating_product(ell.rows, width);
  allocate(ell.column_indices, slots, "ell");
  allocate(ell.values, slots, "ell");
  matrix.visit([&](const auto& csr) {
    const std::int64_t blocks = (ell.rows + block - 1) / block;
    for_each_part(threads, [&](int part) {
      const std::int64_t first_row = part_begin(blocks, part, threads) * block;
      const std::int64_t last_row = std::min(ell.rows, part_begin(blocks, part + 1, threads) * block);
      for (std::int64_t first = first_row; first < last_row; first += block) {
        const std::int64_t last = std::min(last_row, first + block);
        std::int64_t shortest = width;
        for (std::int64_t row = first; row < last; ++row)
          shortest = std::min<std::int64_t>(shortest, csr.row_pointers[row + 1] - csr.row_pointers[row]);
        for (std::int64_t k = 0; k < width; ++k) {
          Index* columns = ell.column_indices.data() + k * ell.rows;
          Value* values = ell.values.data() + k * ell.rows;
          if (k < shortest) {  // no row of the block ends here
            for (std::int64_t row = first; row < last; ++row) {
              const auto from = csr.row_pointers[row] + k;
              columns[row] = static_cast<Index>(csr.column_indices[from]);
              values[row] = static_cast<Value>(csr.values[from]);
            }
            continue;
          }
          for (std::int64_t row = first; row < last; ++row) {
            const auto from = csr.row_pointers[row] + k;
            const bool filled = from < csr.row_pointers[row + 1];
            columns[row] = filled ? static_cast<Index>(csr.column_indices[from]) : Index{padding_column};
            values[row] = filled ? static_cast<Value>(csr.values[from]) : Value{0};
          }
        }
      }
    });
  });
  return ell;
}

template <class Value, class Index>
Ell<Value, Index> to_ell(const Matrix& matrix, int threads) {
  return to_ell<Value, Index>(matrix, threads, longest_row(matrix, threads));
}

#define SPARSECAST_INSTANTIATE(Value, Index)                           \
  template struct Ell<Value, Index>;                                   \
  template Ell<Value, Index> to_ell(const Matrix&, int, std::int64_t); \
  template Ell<Value, Index> to_ell(const Matrix&, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)

}  // namespace sparsecast::formats

#include "formats/coo.hpp"

#include <vector>

#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
std::int64_t Coo<Value, Index>::bytes() const {
  return array_bytes(row_indices) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t coo_bytes(std::int64_t rows, std::int64_t cols, std::int64_t nonzeros, int value_bytes) {
  return saturating_product(nonzeros, 2 * index_bytes(rows, cols) + value_bytes);
}

std::int64_t coo_bytes(const Structure& structure, int value_bytes) {
  return coo_bytes(structure.rows, structure.cols, structure.nonzeros, value_bytes);
}

template <class Value, class Index>
Coo<Value, Index> to_coo(const Matrix& matrix, int threads, std::int64_t skip) {
  Coo<Value, Index> coo{matrix.rows(), matrix.cols(), {}, {}, {}};
  matrix.visit([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    const auto kept = [&](std::int64_t row) {
      return std::max<std::int64_t>(0, csr.row_pointers[row + 1] - csr.row_pointers[row] - skip);
    };
    // Every part counts what it keeps; the running total tells where it writes.
    std::vector<std::int64_t> begin(static_cast<std::size_t>(threads) + 1, 0);
    for_each_part(threads, [&](int part) {
      std::int64_t count = 0;
      for (std::int64_t row = rows[part]; row < rows[part + 1]; ++row) count += kept(row);
      begin[static_cast<std::size_t>(part) + 1] = count;
    });
    for (int part = 0; part < threads; ++part) begin[part + 1] += begin[part];
    allocate(coo.row_indices, begin.back(), "coo");
    allocate(coo.column_indices, begin.back(), "coo");
    allocate(coo.values, begin.back(), "coo");
    for_each_part(threads, [&](int part) {
      std::int64_t slot = begin[part];
      for (std::int64_t row = rows[part]; row < rows[part + 1]; ++row) {
        const std::int64_t end = csr.row_pointers[row + 1];
        for (std::int64_t k = end - kept(row); k < end; ++k, ++slot) {
          coo.row_indices[slot] = static_cast<Index>(row);
          coo.column_indices[slot] = static_cast<Index>(csr.column_indices[k]);
          coo.values[slot] = static_cast<Value>(csr.values[k]);
        }
      }
    });
  });
  return coo;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Coo<Value, Index>;         \
  template Coo<Value, Index> to_coo(const Matrix&, int, std::int64_t);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)

}  // namespace sparsecast::formats

#include "formats/jad.hpp"

#include <algorithm>

#include "formats/parts/row_lengths.hpp"
#include "formats/parts/sizes.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

template <class Value, class Index>
std::int64_t Jad<Value, Index>::bytes() const {
  return array_bytes(permutation) + array_bytes(diagonal_pointers) + array_bytes(column_indices) + array_bytes(values);
}

std::int64_t jad_bytes(const Structure& structure, int value_bytes) {
  const std::int64_t index = index_bytes(structure.rows, structure.cols);
  const std::int64_t entries = saturating_product(structure.nonzeros, index + value_bytes);
  const std::int64_t pointers = saturating_product(structure.row_max + 1, sizeof(std::int64_t));
  return saturating_sum(entries, saturating_sum(pointers, saturating_product(structure.rows, index)));
}

template <class Value, class Index>
Jad<Value, Index> to_jad(const Matrix& matrix, int threads) {
  constexpr std::int64_t block = 64;  // rows transposed at a time, as in to_ell
  Jad<Value, Index> jad{
      matrix.rows(), matrix.cols(), rows_by_length<Index>(matrix, matrix.rows(), threads), {}, {}, {}};
  matrix.visit([&](const auto& csr) {
    const auto length = [&](std::int64_t position) -> std::int64_t {
      const Index row = jad.permutation[position];
      return csr.row_pointers[row + 1] - csr.row_pointers[row];
    };
    const std::int64_t longest = jad.rows > 0 ? length(0) : 0;
    allocate(jad.diagonal_pointers, longest + 1, "jad");
    allocate(jad.column_indices, matrix.nonzeros(), "jad");
    allocate(jad.values, matrix.nonzeros(), "jad");
    jad.diagonal_pointers[0] = 0;
    std::int64_t having = jad.rows;  // positions whose row reaches diagonal d: the first ones
    for (std::int64_t d = 0; d < longest; ++d) {
      while (having > 0 && length(having - 1) <= d) --having;
      jad.diagonal_pointers[d + 1] = jad.diagonal_pointers[d] + having;
    }

    const std::int64_t blocks = (jad.rows + block - 1) / block;
    for_each_part(threads, [&](int part) {
      const std::int64_t last_block = part_begin(blocks, part + 1, threads);
      for (std::int64_t b = part_begin(blocks, part, threads); b < last_block; ++b) {
        const std::int64_t first = b * block;
        std::int64_t last = std::min(jad.rows, first + block);
        for (std::int64_t d = 0; d < length(first); ++d) {
          while (length(last - 1) <= d) --last;
          for (std::int64_t position = first; position < last; ++position) {
            const std::int64_t from = csr.row_pointers[jad.permutation[position]] + d;
            jad.column_indices[jad.diagonal_pointers[d] + position] = static_cast<Index>(csr.column_indices[from]);
            jad.values[jad.diagonal_pointers[d] + position] = static_cast<Value>(csr.values[from]);
          }
        }
      }
    });
  });
  return jad;
}

#define SPARSECAST_INSTANTIATE(Value, Index) \
  template struct Jad<Value, Index>;         \
  template Jad<Value, Index> to_jad(const Matrix&, int);
SPARSECAST_INSTANTIATE(float, std::int32_t)
SPARSECAST_INSTANTIATE(float, std::int64_t)
SPARSECAST_INSTANTIATE(double, std::int32_t)
SPARSECAST_INSTANTIATE(double, std::int64_t)

}  // namespace sparsecast::formats

#include "formats/structured/csr_delta.hpp"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "formats/csr.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::formats {

// A block of R rows has columns from R + 2·reach places. Short blocks begin too often.
DeltaShape delta_shape(std::int64_t reach) {
  constexpr std::int64_t of_byte = 256, of_two = 65536, fewest_of_byte = 64, fewest_of_two = 1024;
  if (reach <= (of_byte - fewest_of_byte) / 2) return {reach, 1, of_byte - 2 * reach};
  if (reach <= (of_two - fewest_of_two) / 2) return {reach, 2, of_two - 2 * reach};
  return {reach, 0, 1};
}

std::int64_t reach_of(const Matrix& matrix, int threads) {
  std::vector<std::int64_t> reach(static_cast<std::size_t>(std::max(1, threads)), 0);
  matrix.visit_pattern([&](const auto& csr) {
    const auto rows = rows_by_nonzeros(csr.row_pointers.data(), csr.rows, threads);
    for_each_part(threads, [&](int part) {
      std::int64_t most = 0;
      for (std::int64_t row = rows[part]; row < rows[part + 1]; ++row)
        for (auto k = csr.row_pointers[row]; k < csr.row_pointers[row + 1]; ++k)
          most = std::max(most, std::abs(row - static_cast<std::int64_t>(csr.column_indices[k])));
      reach[static_cast<std::size_t>(part)] = most;
    });
  });
  return *std::ranges::max_element(reach);
}

std::int64_t csr_delta_bytes(const Structure& structure, int value_bytes) {
  const std::int64_t csr = csr_bytes(structure, value_bytes),
                     kept = delta_shape(structure.diagonal_bandwidth).column_bytes;
  return kept == 0 ? csr : csr - structure.nonzeros * ((Matrix::fits32(structure.cols) ? 4 : 8) - kept);
}

std::string csr_delta_refusal(const Structure& structure) {
  if (structure.row_histogram.empty()) return "the structure does not tell how far its entries are from the diagonal";
  if (delta_shape(structure.diagonal_bandwidth).column_bytes == 0) return "its entries are too far from the diagonal";
  return {};
}

}  // namespace sparsecast::formats

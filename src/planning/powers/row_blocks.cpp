#include "planning/powers/row_blocks.hpp"

#include <algorithm>

namespace sparsecast::planning {
RowBlocks cut_rows(const Matrix& matrix, std::int64_t block_rows) {
  RowBlocks cut;
  const std::int64_t rows = matrix.rows(), step = std::max<std::int64_t>(1, block_rows);
  const auto count = static_cast<std::size_t>((rows + step - 1) / step);
  cut.bounds.resize(count + 1);
  for (std::size_t b = 0; b <= count; ++b) cut.bounds[b] = std::min(rows, static_cast<std::int64_t>(b) * step);
  std::vector<std::int32_t> low(count), high(count);
  matrix.visit_pattern([&](const auto& csr) {
    for (std::size_t b = 0; b < count; ++b) {
      std::int64_t least = cut.bounds[b], most = cut.bounds[b + 1] - 1;
      for (std::int64_t row = cut.bounds[b]; row < cut.bounds[b + 1]; ++row) {
        const auto begin = csr.row_pointers[row], end = csr.row_pointers[row + 1];
        if (begin == end) continue;  // columns ascend
        least = std::min(least, static_cast<std::int64_t>(csr.column_indices[begin]));
        most = std::max(most, static_cast<std::int64_t>(csr.column_indices[end - 1]));
      }
      low[b] = static_cast<std::int32_t>(least / step);
      high[b] = static_cast<std::int32_t>(most / step);
    }
  });
  // Who reads a block reaches it: from behind it with `low`, from before it with `high`. Of those the farthest counts.
  cut.first = low;
  cut.last = high;
  std::vector<std::int32_t> reader(count, -1);
  for (std::size_t b = 0; b < count; ++b)
    reader[static_cast<std::size_t>(low[b])] =
        std::max(reader[static_cast<std::size_t>(low[b])], static_cast<std::int32_t>(b));
  for (std::size_t b = 0; b < count; ++b) {
    if (b > 0) reader[b] = std::max(reader[b], reader[b - 1]);
    cut.last[b] = std::max(cut.last[b], reader[b]);
  }
  constexpr std::int32_t nobody = INT32_MAX;
  reader.assign(count, nobody);
  for (std::size_t b = 0; b < count; ++b)
    reader[static_cast<std::size_t>(high[b])] =
        std::min(reader[static_cast<std::size_t>(high[b])], static_cast<std::int32_t>(b));
  for (std::size_t b = count; b-- > 0;) {
    if (b + 1 < count) reader[b] = std::min(reader[b], reader[b + 1]);
    cut.first[b] = std::min(cut.first[b], reader[b]);
  }
  return cut;
}
}  // namespace sparsecast::planning

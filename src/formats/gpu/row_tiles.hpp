#pragma once
// The tiles of csr-tiles (hardware/gpu/kernels/csr_tiles.cl): whole rows, as many as one holds, and parts of the
// rows that are longer.

#include <algorithm>
#include <cstdint>
#include <vector>

#include "formats/gpu/gpu_shape.hpp"

namespace sparsecast::formats {
template <class Offset>
struct RowTiles {
  std::vector<std::int32_t> rows;  ///< first row of each, ~row where it is a part of that row; all rows behind the last
  std::vector<Offset> starts;      ///< first entry of each; all entries behind the last
};

/// Offset wide enough for the row pointers, from 0 on.
template <class Offset, class Pointer>
RowTiles<Offset> row_tiles(const Pointer* row_pointers, std::int64_t rows) {
  RowTiles<Offset> tiles;
  const auto begin = [&](std::int64_t row, std::int64_t start, bool part) {
    tiles.rows.push_back(static_cast<std::int32_t>(part ? ~row : row));
    tiles.starts.push_back(static_cast<Offset>(start));
  };
  for (std::int64_t row = 0; row < rows;) {
    const std::int64_t start = row_pointers[row];
    // The last row that ends within the tile is before the first that ends behind it.
    const Pointer* last = row_pointers + std::min<std::int64_t>(row + gpu_group_threads, rows) + 1;
    const std::int64_t stop = std::upper_bound(row_pointers + row + 1, last, start + gpu_row_tile) - row_pointers;
    if (stop - 1 > row) {
      begin(row, start, false);
      row = stop - 1;
    } else {
      for (std::int64_t part = start; part < row_pointers[row + 1]; part += gpu_row_tile) begin(row, part, true);
      ++row;
    }
  }
  begin(rows, row_pointers[rows], false);
  return tiles;
}
}  // namespace sparsecast::formats

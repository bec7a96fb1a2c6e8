#pragma once
// The merge path (Merrill & Garland 2016, "Merge-based parallel sparse matrix-vector multiplication", section 3): a CSR
// product consumes rows + non-zeros items; cutting that list into equal parts gives every thread the same work, however
// long or short the rows are. A part may begin and end within a row.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace sparsecast::formats {

/// A point on the path: so many rows finished and so many non-zeros consumed.
struct MergeCoordinate {
  std::int64_t row = 0;
  std::int64_t nonzero = 0;
};

/// The point after `diagonal` items; a row's end comes after its last non-zero.
template <class Offset>
MergeCoordinate merge_path_search(const Offset* row_pointers, std::int64_t rows, std::int64_t diagonal) {
  // Row r is finished after row_pointers[r + 1] non-zeros and r + 1 rows: find how many are finished by `diagonal`.
  std::int64_t low = std::max<std::int64_t>(0, diagonal - row_pointers[rows]), high = std::min(diagonal, rows);
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (row_pointers[middle + 1] + middle + 1 <= diagonal) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return {low, diagonal - low};
}

/// parts + 1 points, the first at the start of the matrix and the last at its end.
template <class Offset>
std::vector<MergeCoordinate> merge_path_partition(const Offset* row_pointers, std::int64_t rows, int parts) {
  std::vector<MergeCoordinate> points;
  const std::int64_t items = rows + row_pointers[rows];
  for (int part = 0; part <= parts; ++part)
    points.push_back(
        merge_path_search(row_pointers, rows, items / parts * part + std::min<std::int64_t>(items % parts, part)));
  return points;
}

}  // namespace sparsecast::formats

#pragma once
// How work is dealt to threads: `parts` contiguous parts, decided when a product is built, so that the result does not
// depend on how many threads a call may use: as many as the caller's OpenMP settings allow there and then.

#include <omp.h>
#include <algorithm>
#include <cstdint>
#include <sparsecast/matrix.hpp>
#include <vector>

#include "base/team.hpp"

namespace sparsecast::formats {
/// First element of part `part` of `parts` equal ones (sizes differ by one at most).
constexpr std::int64_t part_begin(std::int64_t elements, int part, int parts) noexcept {
  return elements / parts * part + std::min<std::int64_t>(elements % parts, part);
}

/// parts + 1 ascending row numbers from 0 to rows; each part holds about the same number of non-zeros.
template <class Offset>
std::vector<std::int64_t> rows_by_nonzeros(const Offset* row_pointers, std::int64_t rows, int parts) {
  std::vector<std::int64_t> bounds(static_cast<std::size_t>(parts) + 1);
  const std::int64_t nonzeros = row_pointers[rows];
  for (int part = 1; part < parts; ++part) {
    const std::int64_t wanted = part_begin(nonzeros, part, parts);
    const Offset* after = std::upper_bound(row_pointers, row_pointers + rows + 1, static_cast<Offset>(wanted));
    // Row `row` holds the wanted non-zero (or starts there); the border goes to its nearer end.
    std::int64_t row = std::min<std::int64_t>(after - row_pointers - 1, rows);
    if (row < rows && row_pointers[row + 1] - wanted < wanted - row_pointers[row]) ++row;
    bounds[static_cast<std::size_t>(part)] = std::max(row, bounds[static_cast<std::size_t>(part) - 1]);
  }
  bounds[static_cast<std::size_t>(parts)] = rows;
  return bounds;
}

/// Calls work(part) for every part, on a thread of its own each or, where the caller's base::most_in_team() is less
/// (omp_set_num_threads, OMP_NUM_THREADS, threadpoolctl), on so many threads. One thread opens no parallel region
/// (entering one costs about a microsecond even then).
template <class Work>
void for_each_part(int parts, Work&& work) {
  const int threads = parts <= 1 ? 1 : std::min(parts, base::most_in_team());
  if (threads <= 1) {
    for (int part = 0; part < std::max(parts, 1); ++part) work(part);
    return;
  }
#pragma omp parallel for schedule(static, 1) num_threads(base::team_of(threads))
  for (int part = 0; part < parts; ++part) work(part);
}

/// Threads that convert a matrix; a small one is converted before another thread is awake.
inline int converting_threads(const Matrix& matrix, int threads) {
  constexpr std::int64_t alone_nonzeros = 1 << 15;
  return matrix.nonzeros() < alone_nonzeros ? 1 : threads;
}

// The merge path (Merrill & Garland 2016, "Merge-based parallel sparse matrix-vector multiplication", section 3): a CSR
// product consumes rows + non-zeros items; cutting that list into equal parts gives every thread the same work, however
// long or short the rows are. A part may begin and end within a row.

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

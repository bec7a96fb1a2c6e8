// Locality of the columns, as in the feature records of the field (Mpakos et al. 2023, "Feature-based SpMV performance
// analysis on contemporary devices"): bandwidth, neighbours and similarity of consecutive rows.

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstdlib>
#include <vector>

#include "matrix/structure_parts.hpp"

namespace sparsecast {
namespace {

// Work is cut into pieces that do not depend on the number of threads, so that sums of doubles do not either.
constexpr std::int64_t pieces = 512;

struct ColumnSums {
  std::int64_t width = 0;           // sum of last − first column
  std::int64_t adjacent = 0;        // pairs of non-zeros side by side
  std::int64_t diagonal = 0;        // max |row − column|
  double similarity = 0;            // sum over the rows of the share with one in the next row at column ± 1
};

// Entries of `row` with an entry of `next` at most one column away. No branch depends on the columns: they are
// unpredictable. Both rows ascend, so the smaller of the two current entries is passed over.
template <class Index>
std::int64_t near_entries(const Index* row, const Index* row_end, const Index* next, const Index* next_end) {
  std::int64_t near = 0;
  while (row != row_end && next != next_end) {
    const Index distance = *next - *row;
    const bool behind = distance < -1;
    near += (distance >= -1) & (distance <= 1);
    next += behind;
    row += !behind;
  }
  return near;
}

template <class Offset, class Index>
ColumnSums sums_of_rows(const Csr<Offset, Index>& csr, std::int64_t first, std::int64_t last, Touched& touched) {
  ColumnSums sums;
  const Offset* pointers = csr.row_pointers.data();
  const Index* columns = csr.column_indices.data();
  for (std::int64_t r = first; r < last; ++r) {
    const Index *begin = columns + pointers[r], *end = columns + pointers[r + 1];
    if (begin == end) continue;
    sums.width += end[-1] - begin[0];
    sums.diagonal = std::max({sums.diagonal, std::abs(r - begin[0]), std::abs(r - end[-1])});
    std::int64_t adjacent = 0;
    for (const Index* c = begin + 1; c < end; ++c) adjacent += c[0] - c[-1] == 1;
    sums.adjacent += adjacent;
    for (const Index* c = begin; c < end; ++c)  // other threads may write the same 1
      std::atomic_ref(touched[static_cast<std::size_t>(*c) / touched_columns]).store(1, std::memory_order_relaxed);
    std::int64_t next = r + 1;  // the next row that is not empty
    while (next < csr.rows && pointers[next + 1] == pointers[next]) ++next;
    if (next < csr.rows)
      sums.similarity += static_cast<double>(near_entries(begin, end, columns + pointers[next], columns + pointers[next + 1])) /
                         static_cast<double>(end - begin);
  }
  return sums;
}

}  // namespace

template <class Offset, class Index>
Touched analyze_columns(const Csr<Offset, Index>& csr, Structure& structure, int threads) {
  Touched touched(static_cast<std::size_t>((structure.cols + touched_columns - 1) / touched_columns), 0);
  if (structure.nonzeros == 0) return touched;
  std::vector<ColumnSums> sums(pieces);
  const auto first_row = [&](std::int64_t piece) -> std::int64_t {
    if (piece == pieces) return csr.rows;
    const auto wanted = static_cast<Offset>(static_cast<double>(structure.nonzeros) / pieces * static_cast<double>(piece));
    return std::lower_bound(csr.row_pointers.begin(), csr.row_pointers.end() - 1, wanted) - csr.row_pointers.begin();
  };
#pragma omp parallel for schedule(dynamic) num_threads(threads)
  for (std::int64_t p = 0; p < pieces; ++p)
    sums[static_cast<std::size_t>(p)] = sums_of_rows(csr, first_row(p), first_row(p + 1), touched);

  ColumnSums total;
  for (const ColumnSums& piece : sums) {
    total.width += piece.width;
    total.adjacent += piece.adjacent;
    total.diagonal = std::max(total.diagonal, piece.diagonal);
    total.similarity += piece.similarity;
  }
  const double rows = static_cast<double>(structure.rows), nonzeros = static_cast<double>(structure.nonzeros);
  structure.bandwidth_scaled = static_cast<double>(total.width) / rows / static_cast<double>(structure.cols);
  structure.neighbours = 2 * static_cast<double>(total.adjacent) / nonzeros;
  structure.cross_row_similarity = total.similarity / static_cast<double>(structure.rows - structure.empty_rows);
  structure.runs_per_row = (nonzeros - static_cast<double>(total.adjacent)) / rows;
  structure.diagonal_bandwidth = total.diagonal;
  return touched;
}

template Touched analyze_columns(const Csr<std::int32_t, std::int32_t>&, Structure&, int);
template Touched analyze_columns(const Csr<std::int64_t, std::int32_t>&, Structure&, int);
template Touched analyze_columns(const Csr<std::int64_t, std::int64_t>&, Structure&, int);

}  // namespace sparsecast

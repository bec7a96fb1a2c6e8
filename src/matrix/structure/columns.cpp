// Locality of the columns, as in the feature records of the field (Mpakos et al. 2023, "Feature-based SpMV performance
// analysis on contemporary devices"): bandwidth, neighbours and similarity of consecutive rows.

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "base/parallel_for.hpp"
#include "matrix/structure/row_similarity.hpp"
#include "matrix/structure/structure_parts.hpp"

namespace sparsecast::matrix {
namespace {
// Work is cut into pieces that do not depend on the number of threads, so that sums of doubles do not either. A sparser
// analysis looks at every second, fourth … of them.
constexpr std::int64_t most_pieces = 512, piece_nonzeros = 1 << 13;
// Comparing a row with the next costs several nanoseconds per non-zero, more than a product. From 16,384 non-zeros
// on only every 2^s-th block of consecutive rows is compared, s growing with the matrix.
constexpr std::int64_t compared_nonzeros = 1 << 13, fewest_compared_rows = 512, compared_block = 32;
constexpr int most_skipped = 5;
// So many neighbouring entries stand for a longer row.
constexpr std::int64_t compared_of_a_row = 512;

struct ColumnSums {
  std::int64_t width = 0;     // sum of last − first column
  std::int64_t adjacent = 0;  // pairs of non-zeros side by side
  std::int64_t diagonal = 0;  // max |row − column|
  double similarity = 0;      // sum over the compared rows of the share with one in the next row at column ± 1
  std::int64_t compared = 0;  // rows compared, those without a next row included
  std::int64_t rows = 0, nonzeros = 0;
};

int skipped_blocks(const Structure& structure, int sparser) {
  int s = 0;
  while (s < most_skipped && structure.nonzeros >> (s + 1) >= compared_nonzeros >> sparser &&
         structure.rows >> (s + 1) >= fewest_compared_rows >> sparser)
    ++s;
  return s;
}

// Pairs of neighbours c[k], c[k] + 1 in a stretch of columns; in chunks, so that 32-bit counters can be vectorised.
template <class Index>
std::int64_t adjacent_pairs(const Index* begin, const Index* end) {
  std::int64_t pairs = 0;
  for (const Index* chunk = begin; end - chunk > 1;) {
    const Index* stop = chunk + std::min<std::ptrdiff_t>(end - chunk - 1, 1 << 20);
    Index count = 0;
    for (; chunk < stop; ++chunk) count += chunk[1] - chunk[0] == 1 ? Index{1} : Index{0};
    pairs += count;
  }
  return pairs;
}

template <class Offset, class Index>
double similarity_to_next(const CsrPattern<Offset, Index>& csr, std::int64_t row) {
  const Offset* pointers = csr.row_pointers.data();
  const Index* columns = csr.column_indices.data();
  std::int64_t next = row + 1;  // the next row that is not empty
  while (next < csr.rows && pointers[next + 1] == pointers[next]) ++next;
  if (next == csr.rows) return 0;
  const Index *begin = columns + pointers[row], *end = columns + pointers[row + 1];
  const Index *below = columns + pointers[next], *below_end = columns + pointers[next + 1];
  if (const std::int64_t length = end - begin; length > compared_of_a_row) {
    const auto mixed = (static_cast<std::uint64_t>(row + 1) * 0x9E3779B97F4A7C15U) >> 32;
    begin += mixed % static_cast<std::uint64_t>(length - compared_of_a_row);
    end = begin + compared_of_a_row;
    below = std::lower_bound(below, below_end, *begin - 1);
  }
  return static_cast<double>(near_entries(begin, end, below, below_end)) / static_cast<double>(end - begin);
}

template <class Offset, class Index>
ColumnSums sums_of_rows(const CsrPattern<Offset, Index>& csr, std::int64_t first, std::int64_t last, int skipped) {
  ColumnSums sums;
  const Offset* pointers = csr.row_pointers.data();
  const Index* columns = csr.column_indices.data();
  sums.rows = last - first;
  sums.nonzeros = pointers[last] - pointers[first];
  // What needs no rows runs over the whole stretch; pairs across the end of a row are taken back below.
  const Index *begin = columns + pointers[first], *end = columns + pointers[last];
  sums.adjacent = adjacent_pairs(begin, end);
  for (std::int64_t r = first; r < last; ++r) {
    if (pointers[r] == pointers[r + 1]) continue;
    const Index low = columns[pointers[r]], high = columns[pointers[r + 1] - 1];
    sums.width += high - low;
    sums.diagonal = std::max({sums.diagonal, std::abs(r - low), std::abs(r - high)});
    sums.adjacent -= pointers[r] > pointers[first] && low - columns[pointers[r] - 1] == 1;
    // Two of the 2^(s+1) intervals of a multiplicative hash: evenly spread blocks, one in 2^s.
    if (((static_cast<std::uint32_t>(r / compared_block) * 0x9E3779B1U) >> (31 - skipped)) > 1) continue;
    sums.similarity += similarity_to_next(csr, r);
    ++sums.compared;
  }
  return sums;
}
}  // namespace

template <class Offset, class Index>
void analyze_columns(const CsrPattern<Offset, Index>& csr, Structure& structure, int threads, int sparser) {
  if (structure.nonzeros == 0) return;
  const std::int64_t pieces = std::clamp<std::int64_t>(structure.nonzeros / piece_nonzeros, 1, most_pieces);
  std::vector<ColumnSums> sums(static_cast<std::size_t>(pieces));
  const auto first_row = [&](std::int64_t piece) -> std::int64_t {
    if (piece == pieces) return csr.rows;
    const auto wanted = static_cast<Offset>(static_cast<double>(structure.nonzeros) / static_cast<double>(pieces) *
                                            static_cast<double>(piece));
    return std::lower_bound(csr.row_pointers.begin(), csr.row_pointers.end() - 1, wanted) - csr.row_pointers.begin();
  };
  const int skipped = skipped_blocks(structure, sparser);
  base::parallel_for((pieces + (1 << sparser) - 1) >> sparser, {threads}, [&](std::int64_t among) {
    const std::int64_t p = among << sparser;
    sums[static_cast<std::size_t>(p)] = sums_of_rows(csr, first_row(p), first_row(p + 1), skipped);
  });

  ColumnSums total;
  for (const ColumnSums& piece : sums) {
    total.width += piece.width;
    total.adjacent += piece.adjacent;
    total.diagonal = std::max(total.diagonal, piece.diagonal);
    total.similarity += piece.similarity;
    total.compared += piece.compared;
    total.rows += piece.rows;
    total.nonzeros += piece.nonzeros;
  }
  const auto rows = static_cast<double>(std::max<std::int64_t>(1, total.rows)),
             nonzeros = static_cast<double>(std::max<std::int64_t>(1, total.nonzeros));
  structure.bandwidth_scaled = static_cast<double>(total.width) / rows / static_cast<double>(structure.cols);
  structure.neighbours = 2 * static_cast<double>(total.adjacent) / nonzeros;
  structure.cross_row_similarity = total.compared > 0 ? total.similarity / static_cast<double>(total.compared) : 0;
  structure.runs_per_row = (nonzeros - static_cast<double>(total.adjacent)) / rows;
  structure.diagonal_bandwidth = total.diagonal;
}

template void analyze_columns(const CsrPattern<std::int32_t, std::int32_t>&, Structure&, int, int);
template void analyze_columns(const CsrPattern<std::int64_t, std::int32_t>&, Structure&, int, int);
template void analyze_columns(const CsrPattern<std::int64_t, std::int64_t>&, Structure&, int, int);
}  // namespace sparsecast::matrix

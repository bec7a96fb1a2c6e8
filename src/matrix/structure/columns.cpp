// Locality of the columns, as in the feature records of the field (Mpakos et al. 2023, "Feature-based SpMV performance
// analysis on contemporary devices"): bandwidth, neighbours and similarity of consecutive rows.

#include <cmath>
#include <cstdlib>

#include "base/parallel_for.hpp"
#include "matrix/structure/forms.hpp"
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

constexpr std::int64_t looked_up_rows = 256, looked_up_entries = 4;  // entries of every sampled row

template <class Csr>
bool mirrored(const Csr& csr, std::int64_t row, std::int64_t k) {
  const std::int64_t mirror = csr.column_indices[k];
  const auto columns = csr.column_indices.begin();
  const auto last = columns + csr.row_pointers[mirror + 1];
  const auto found = std::lower_bound(columns + csr.row_pointers[mirror], last, row);
  return found != last && *found == row && csr.values[found - columns] == csr.values[k];
}

template <class Csr>
bool sample_is_symmetric(const Csr& csr) {
  if (csr.rows != csr.cols || csr.rows == 0) return false;
  for (std::int64_t i = 0; i < std::min(csr.rows, looked_up_rows); ++i) {
    const auto mixed = (static_cast<std::uint64_t>(i + 1) * 0x9E3779B97F4A7C15U) >> 16;
    const auto row = static_cast<std::int64_t>(mixed % static_cast<std::uint64_t>(csr.rows));
    const std::int64_t begin = csr.row_pointers[row], length = csr.row_pointers[row + 1] - begin;
    for (std::int64_t e = 0; e < std::min(length, looked_up_entries); ++e)
      if (!mirrored(csr, row, begin + (e == 0 ? 0 : (length - 1) * e / (looked_up_entries - 1)))) return false;
  }
  return true;
}

template <class Csr>
bool has_diagonal(const Csr& csr, std::int64_t row) {
  const auto* columns = csr.column_indices.data();
  const auto *begin = columns + csr.row_pointers[row], *end = columns + csr.row_pointers[row + 1];
  constexpr std::ptrdiff_t scanned = 32;  // no longer than a search, and without its branches
  if (end - begin > scanned) return std::binary_search(begin, end, row);
  int found = 0;
  for (const auto* column = begin; column < end; ++column) found |= *column == row ? 1 : 0;
  return found != 0;
}

template <class Csr>
ValueSymmetry presume(const Csr& csr) {
  if (!sample_is_symmetric(csr)) return {0, 0};
  constexpr std::int64_t enough = 2048;  // rows
  const std::int64_t step = std::max<std::int64_t>(1, csr.rows / enough);
  std::int64_t looked = 0, diagonal = 0;
  for (std::int64_t row = 0; row < csr.rows; row += step, ++looked) diagonal += has_diagonal(csr, row) ? 1 : 0;
  return {1, looked > 0 ? diagonal * csr.rows / looked : 0};
}

struct Triangles {
  std::int64_t below = 0, diagonal = 0;
  bool symmetric = true;
};

// Compares what rows first … last − 1 have below the diagonal with what lies above it in the columns of those rows.
template <class Csr>
Triangles compare_triangles(const Csr& csr, std::int64_t first, std::int64_t last, const std::atomic<bool>& refuted) {
  constexpr std::int64_t often = 1024;  // rows between two looks at what others found
  using Offset = typename Csr::Offset;
  const auto* columns = csr.column_indices.data();
  const auto* pointers = csr.row_pointers.data();
  Triangles found;
  // Of every row, the next entry above the diagonal that waits for its mirror. Rows before `first` begin where columns
  // from `first` on do, the others behind their diagonal, once they have been walked through themselves.
  std::vector<Offset> next(static_cast<std::size_t>(last));
  std::int64_t low = first;  // the first row that these have a mirror in
  for (std::int64_t row = first; row < last; ++row)
    if (pointers[row] < pointers[row + 1]) low = std::min<std::int64_t>(low, columns[pointers[row]]);
  for (std::int64_t row = low; row < first; ++row)
    next[static_cast<std::size_t>(row)] =
        static_cast<Offset>(std::lower_bound(columns + pointers[row], columns + pointers[row + 1], first) - columns);
  for (std::int64_t row = first; row < last; ++row) {
    if (row % often == 0 && refuted.load(std::memory_order_relaxed)) return {0, 0, false};
    Offset k = pointers[row];
    const Offset begin = k, end = pointers[row + 1];
    bool mirrored = true;
    for (; k < end && columns[k] < row; ++k) {
      const auto mirror = static_cast<std::size_t>(columns[k]);
      const Offset at = next[mirror]++;
      mirrored &= at < pointers[mirror + 1] && columns[at] == row && csr.values[at] == csr.values[k];
    }
    if (!mirrored) return {0, 0, false};
    found.below += k - begin;
    if (k < end && columns[k] == row) {
      ++found.diagonal;
      ++k;
    }
    next[static_cast<std::size_t>(row)] = k;
  }
  return found;
}

template <class Csr>
ValueSymmetry find_symmetry(const Csr& csr, int threads) {
  if (!sample_is_symmetric(csr)) return {0, 0};
  std::atomic<bool> refuted{false};
  std::vector<Triangles> parts(static_cast<std::size_t>(threads));
  base::parallel_for(threads, {threads}, [&](std::int64_t part) {
    const auto border = [&](std::int64_t p) {  // rows with equally many entries
      const auto wanted = static_cast<typename Csr::Offset>(static_cast<std::int64_t>(csr.values.size()) / threads * p);
      const auto begin = csr.row_pointers.begin();
      return p == threads ? csr.rows : std::lower_bound(begin, begin + csr.rows, wanted) - begin;
    };
    Triangles& mine = parts[static_cast<std::size_t>(part)] =
        compare_triangles(csr, border(part), border(part + 1), refuted);
    if (!mine.symmetric) refuted = true;
  });
  Triangles all;
  for (const Triangles& part : parts) {
    all.below += part.below;
    all.diagonal += part.diagonal;
  }
  // As many above as below: every entry above is the mirror of one.
  if (refuted || 2 * all.below + all.diagonal != static_cast<std::int64_t>(csr.values.size())) return {0, 0};
  return {1, all.diagonal};
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

// Symmetric values. A few scattered entries refute nearly every matrix that is not symmetric. Where they do not, all
// are compared: as rows are walked through in order, the entries that each column has above the diagonal come up one
// after the other, so a position in every row finds them without a search.

ValueSymmetry value_symmetry(const Matrix& matrix, int threads) {
  return matrix.visit([&](const auto& csr) { return find_symmetry(csr, threads); });
}

ValueSymmetry presumed_symmetry(const Matrix& matrix) {
  return matrix.visit([](const auto& csr) { return presume(csr); });
}
}  // namespace sparsecast::matrix

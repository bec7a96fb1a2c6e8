// Symmetric values. A few scattered entries refute nearly every matrix that is not symmetric. Where they do not, all
// are compared: as rows are walked through in order, the entries that each column has above the diagonal come up one
// after the other, so a position in every row finds them without a search.

#include <algorithm>
#include <atomic>

#include "base/parallel_for.hpp"
#include "matrix/structure/symmetry.hpp"

namespace sparsecast::matrix {
namespace {
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

ValueSymmetry value_symmetry(const Matrix& matrix, int threads) {
  return matrix.visit([&](const auto& csr) { return find_symmetry(csr, threads); });
}

ValueSymmetry presumed_symmetry(const Matrix& matrix) {
  return matrix.visit([](const auto& csr) { return presume(csr); });
}
}  // namespace sparsecast::matrix

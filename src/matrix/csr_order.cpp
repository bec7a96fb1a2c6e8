#include "matrix/csr_order.hpp"

#include <algorithm>
#include <limits>
#include <type_traits>

#include "base/machine/simd.hpp"

namespace sparsecast::matrix {
namespace {
// A stretch of columns fits the first cache, from which the beginnings of its rows are then read.
constexpr std::int64_t stretch = 1 << 12;

template <class Offset>
SPARSECAST_INLINE bool falls(const Offset* row_pointers, std::int64_t rows) {
  Offset fall = 0;
  for (std::int64_t r = 0; r < rows; ++r) fall |= row_pointers[r + 1] < row_pointers[r] ? 1 : 0;
  return fall != 0;
}

template <class Index>
struct Found {
  std::int64_t descents = 0;
  std::make_unsigned_t<Index> beyond = 0;  // the sign bit: a column is negative or more than the last
};

// Of columns first … last − 1, first ≥ 1, each beside the one before.
template <class Index>
SPARSECAST_INLINE Found<Index> look(const Index* columns, std::int64_t first, std::int64_t last, Index last_column) {
  using Bits = std::make_unsigned_t<Index>;
  Index descents = 0;
  Bits beyond = 0;
  for (std::int64_t k = first; k < last; ++k) {
    descents += columns[k - 1] >= columns[k] ? 1 : 0;
    beyond |= static_cast<Bits>(columns[k]) | (static_cast<Bits>(last_column) - static_cast<Bits>(columns[k]));
  }
  return {descents, beyond};
}

// Rows that begin at a descent, of rows that begin with neither the first entry nor behind the last: no branch, as
// which rows are empty is unpredictable.
template <class Offset, class Index>
std::int64_t begun_by_descents(const Offset* begin, const Offset* end, const Index* columns) {
  std::int64_t found = 0;
  for (; begin < end; ++begin) {
    const bool filled = begin[1] != begin[0], descends = columns[*begin - 1] >= columns[*begin];
    found += static_cast<int>(filled) & static_cast<int>(descends);
  }
  return found;
}
}  // namespace

// Neighbours are compared throughout, whichever rows they are of; those that do not ascend must all be where a row
// begins.
template <class Offset, class Index>
bool is_in_order(const CsrPattern<Offset, Index>& csr) {
  static const auto falls_here = base::compiled_for<falls<Offset>>(base::best_simd());
  static const auto look_here = base::compiled_for<look<Index>>(base::best_simd());
  const Offset* pointers = csr.row_pointers.data();
  const Index* columns = csr.column_indices.data();
  if (falls_here(pointers, csr.rows)) return false;
  const Offset entries = pointers[csr.rows];
  if (entries == 0) return true;
  if (csr.cols == 0 || columns[0] < 0 || columns[0] >= csr.cols) return false;
  const auto last_column = static_cast<Index>(std::min<std::int64_t>(csr.cols - 1, std::numeric_limits<Index>::max()));
  const Offset* const all = pointers + csr.rows + 1;
  const Offset* row = std::upper_bound(pointers, all, Offset{0});
  Found<Index> found;
  std::int64_t allowed = 0;
  for (std::int64_t first = 1; first < entries; first += stretch) {
    const std::int64_t last = std::min<std::int64_t>(entries, first + stretch);
    const Found<Index> here = look_here(columns, first, last, last_column);
    found.descents += here.descents;
    found.beyond |= here.beyond;
    const Offset* const next = std::lower_bound(row, all, static_cast<Offset>(last));
    allowed += begun_by_descents(row, next, columns);
    row = next;
  }
  constexpr int sign = 8 * sizeof(Index) - 1;
  return found.descents == allowed && found.beyond >> sign == 0;
}

template bool is_in_order(const CsrPattern<std::int32_t, std::int32_t>&);
template bool is_in_order(const CsrPattern<std::int64_t, std::int32_t>&);
template bool is_in_order(const CsrPattern<std::int64_t, std::int64_t>&);
}  // namespace sparsecast::matrix

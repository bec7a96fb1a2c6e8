#include "matrix/csr_order.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <type_traits>

#include "base/machine/simd.hpp"

namespace sparsecast::matrix {
namespace {
// Columns of a stretch and the marks beside them fit the first cache.
template <class Index>
constexpr std::int64_t stretch = (1 << 14) / sizeof(Index);

template <class Offset>
SPARSECAST_INLINE bool falls(const Offset* row_pointers, std::int64_t rows) {
  Offset fall = 0;
  for (std::int64_t r = 0; r < rows; ++r) fall |= row_pointers[r + 1] < row_pointers[r] ? 1 : 0;
  return fall != 0;
}

template <class Index>
struct Found {
  Index descents = 0;                      // not 0: a column does not ascend where no row begins
  std::make_unsigned_t<Index> beyond = 0;  // the sign bit: a column is negative or more than the last
};

// Of columns first … last − 1, first ≥ 1, each beside the one before; marks are 1 where a row begins, and are 0 again
// afterwards.
template <class Index>
SPARSECAST_INLINE Found<Index> look(const Index* columns, Index* marks, std::int64_t first, std::int64_t last,
                                    Index last_column) {
  using Bits = std::make_unsigned_t<Index>;
  Index descents = 0;
  Bits beyond = 0;
  const Index* const before = columns + first - 1;
  const Index* const here = columns + first;
  const std::int64_t count = last - first;
  for (std::int64_t k = 0; k < count; ++k) {
    descents |= static_cast<Index>(before[k] >= here[k] ? 1 : 0) & ~marks[k];
    beyond |= static_cast<Bits>(here[k]) | (static_cast<Bits>(last_column) - static_cast<Bits>(here[k]));
    marks[k] = 0;
  }
  return {descents, beyond};
}

// Rows without entries mark what the next one marks too: no branch, as which they are is unpredictable.
template <class Offset, class Index>
SPARSECAST_INLINE void mark(const Offset* row, const Offset* end, std::int64_t first, Index* marks) {
#pragma GCC unroll 8
  for (; row < end; ++row) marks[*row - first] = 1;
}
}  // namespace

// Neighbours are compared throughout, whichever rows they are of; those that do not ascend must all be where a row
// begins. Marking a row and looking it up by vectors takes three quarters of what reading two columns for it takes.
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
  alignas(64) std::array<Index, stretch<Index>> marks{};
  Found<Index> found;
  for (std::int64_t first = 1; first < entries; first += stretch<Index>) {
    const std::int64_t last = std::min<std::int64_t>(entries, first + stretch<Index>);
    const Offset* const next = std::lower_bound(row, all, static_cast<Offset>(last));
    mark(row, next, first, marks.data());
    row = next;
    const Found<Index> here = look_here(columns, marks.data(), first, last, last_column);
    found.descents |= here.descents;
    found.beyond |= here.beyond;
  }
  constexpr int sign = 8 * sizeof(Index) - 1;
  return found.descents == 0 && found.beyond >> sign == 0;
}

template bool is_in_order(const CsrPattern<std::int32_t, std::int32_t>&);
template bool is_in_order(const CsrPattern<std::int64_t, std::int32_t>&);
template bool is_in_order(const CsrPattern<std::int64_t, std::int64_t>&);
}  // namespace sparsecast::matrix

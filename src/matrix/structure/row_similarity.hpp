#pragma once
// How alike two rows are: the similarity of consecutive rows in a Structure and in the strips of a plan.

#include <cstdint>

namespace sparsecast::matrix {
/// Entries of `row` with an entry of `next` at most one column away. No branch depends on the columns: they are
/// unpredictable. Both rows ascend, so the smaller of the two current entries is passed over.
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
}  // namespace sparsecast::matrix

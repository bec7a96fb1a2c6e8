#include "planning/search/repeated_rows.hpp"

#include <cmath>

#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
Structure repeated(const Structure& rows, double times) {
  const auto more = [&](std::int64_t& count) {
    if (count > 0) count = std::llround(number(count) * times);
  };
  Structure s = rows;
  for (std::int64_t* count : {&s.rows, &s.nonzeros, &s.empty_rows}) more(*count);
  for (RowLengthCount& entry : s.row_histogram) more(entry.rows);
  for (SliceWork& slices : s.slices) more(slices.slots);
  RowGroups& g = s.row_groups;
  for (std::int64_t* count : {&g.groups, &g.shortest, &g.longest, &g.turns, &g.cut_shortest, &g.cut_longest,
                              &g.cut_turns, &g.short_groups, &g.more_vectors, &g.more_rows, &g.rest_nonzeros})
    more(*count);
  for (std::int64_t& part : s.block_nonzeros) more(part);
  more(s.dense_diagonals.nonzeros);
  more(s.dense_diagonals.rest_rows);
  more(s.dense_blocks.blocks);
  more(s.compact.far_slots);
  s.symmetry.symmetric = 0;  // rows of a matrix are not its transpose's
  return s;
}
}  // namespace sparsecast::planning

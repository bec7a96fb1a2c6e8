#include "cluster/described/node_share.hpp"

#include <cmath>

namespace sparsecast::cluster {
Structure repeated(Structure s, double times) {
  const auto more = [times](auto&... counts) {
    ((counts = static_cast<std::int64_t>(std::llround(static_cast<double>(counts) * times))), ...);
  };
  RowGroups& g = s.row_groups;
  more(s.rows, s.cols, s.nonzeros, s.empty_rows, g.groups, g.shortest, g.longest, g.turns, g.cut_shortest,
       g.cut_longest, g.cut_turns, g.short_groups, g.more_vectors, g.more_rows, g.rest_nonzeros, s.dense_blocks.blocks,
       s.symmetry.diagonal, s.compact.far_slots);
  if (s.dense_diagonals.diagonals > 0) more(s.dense_diagonals.nonzeros, s.dense_diagonals.rest_rows);
  for (RowLengthCount& count : s.row_histogram) more(count.rows);
  for (SliceWork& slice : s.slices) more(slice.slots);
  for (std::int64_t& block : s.block_nonzeros) more(block);
  for (XReuse& reuse : s.x_reuse) more(reuse.lines);
  return s;
}
}  // namespace sparsecast::cluster

#pragma once
// The order in which blocks of rows take powers: the first power sweeps over the blocks, and every further one follows
// as close behind it as the blocks' columns allow, so that a block takes its next power while the caches hold it.

#include "planning/powers/row_blocks.hpp"

namespace sparsecast::planning {
/// Block `block` of the power `power`, from 1.
struct PowerTask {
  std::int32_t block = 0, power = 0;
};

/// Of powers 1 … k, in passes of `depth` powers each: tasks in an order in which each follows all that it needs.
/// `slack`: blocks that a power stays behind the one before it beyond what it has to, so that so many further threads
/// find work that waits for nobody.
[[nodiscard]] std::vector<PowerTask> wavefront(const RowBlocks& blocks, std::int64_t k, std::int64_t depth, int slack);

/// Rows between the first power's sweep and the last block that a pass still needs, in the mean over the sweep.
[[nodiscard]] double resident_rows(const RowBlocks& blocks, std::int64_t depth, int slack);
}  // namespace sparsecast::planning

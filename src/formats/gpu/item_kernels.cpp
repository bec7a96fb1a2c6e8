// Work of the GPU kernels that deal entries to threads in equal tiles, whatever the rows: coo, csr-merge, and hyb,
// whose overflow is coo's.

#include <algorithm>
#include <cmath>

#include "formats/gpu/gpu_common.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/gpu/sectors.hpp"

namespace sparsecast::formats {
namespace {

using gpu::real;

// Tiles, their groups, the sum that each hands on and the pass that adds those up.
void count_tiles(std::int64_t items, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  const std::int64_t tiles = parts_of(items, gpu_tile_items);
  const GpuCut cut = cut_tiles(tiles, std::int64_t{std::max(1, context.compute_units)} * gpu_groups_per_unit);
  work.launches += 2;
  work.groups += real(cut.groups) + 1;
  work.carries += real(cut.groups);
  work.tiles += real(tiles);
  // Items are read side by side, then a thread walks its own.
  work.warp_steps += real(parts_of(items, context.warp_size));
  work.idle += real(parts_of(items, context.warp_size) * context.warp_size - items);
  work.chain += real(2 * gpu_thread_items * cut.tiles_per_group);
}

// Entries with their rows: tiles begin with a sector; each but the last looks at the first row of the next.
void count_entries(std::int64_t entries, const GpuContext& context, Workload& w) {
  count_tiles(entries, context, w);
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / 4, sector_bytes / context.value_bytes})
    w.gpu_work.sectors += real(sectors_of_run(0, entries, context.warp_size, per));
  w.gpu_work.sectors += real(std::max<std::int64_t>(0, parts_of(entries, gpu_tile_items) - 1));
}

}  // namespace

void count_coo_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  const double filled = real(s.rows - s.empty_rows);
  w.row_steps = filled;
  w.gpu_work.launches = 1;  // y = 0
  w.gpu_work.groups = real(gpu_groups(s.rows, gpu_group_threads));
  count_entries(s.nonzeros, context, w);
  if (!context.processor) return;
  w.mispredictions = mispredicted_filled_share(s) * filled;
  count_remembered(s, true, w);
  count_branches(w.nonzeros, w);
}

void count_hyb_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  const HybSplit split = hyb_split(s);
  w.overflow = real(split.overflow);
  w.slots = std::max(1.0, w.slots - w.overflow);
  w.padding = std::max(0.0, w.slots - (w.nonzeros - w.overflow));
  count_ell_part_on_gpu(s, split.width, context, w);
  if (split.overflow > 0) count_entries(split.overflow, context, w);
  if (!context.processor) return;
  // Rows shorter than the width end in padding, longer ones in the overflow.
  const double longer = real(s.rows_at_least(split.width + 1)), shorter = real(s.rows - s.rows_at_least(split.width));
  w.mispredictions = mispredicted_share(s) * std::min(real(s.rows), shorter + longer);
  count_remembered(s, false, w);
  count_branches(w.overflow + w.slots, w);
}

void count_csr_merge_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  const std::int64_t items = s.rows + s.nonzeros, tiles = parts_of(items, gpu_tile_items);
  count_tiles(items, context, w);
  // Where the entries of a tile begin depends on all rows before: anywhere in a sector.
  const double in_tile = real(s.nonzeros) / std::max(1.0, real(tiles));
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes})
    w.gpu_work.sectors += real(tiles) * mean_sectors_of_run(std::llround(in_tile), 1, context.warp_size, per);
  if (!context.processor) return;
  w.mispredictions = mispredicted_share(s) * real(s.rows);
  count_remembered(s, false, w);
  count_branches(w.nonzeros + w.rows, w);  // an item, a branch
}

}  // namespace sparsecast::formats

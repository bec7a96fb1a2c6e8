#include "formats/gpu/gpu_counts.hpp"

#include <cmath>

#include "formats/gpu/gpu_shape.hpp"
#include "formats/sell_compact.hpp"

namespace sparsecast::formats {
void gpu::count_rows_ends(const Structure& s, double mispredicted, const GpuContext& context, Workload& w) {
  if (!context.processor) return;
  w.mispredictions = mispredicted;
  count_remembered(s, false, w);
}

double gpu::walked_slots(double length, double rows) {
  constexpr double lines = 512, arrays = 2;  // 32 KiB of 64 bytes
  return length > 0 ? length * rows / (1 + std::pow(lines / (arrays * length), 4)) : 0;
}

double gpu::walked_slots(const Structure& s) {
  double slots = 0;
  for (const RowLengthCount& entry : s.row_histogram) slots += walked_slots(real(entry.length), real(entry.rows));
  return slots;
}

double resident_warps(const GpuText& text, const GpuContext& context) {
  const double warps_per_group = static_cast<double>(gpu_group_threads) / std::max(1, context.warp_size);
  double groups = std::max(1.0, context.warps_per_unit / warps_per_group);
  if (context.registers_per_unit > 0)
    groups = std::min(groups, std::floor(context.registers_per_unit / (text.registers * gpu_group_threads)));
  if (context.shared_bytes_per_unit > 0 && text.shared_entries > 0)
    groups = std::min(groups,
                      std::floor(context.shared_bytes_per_unit / (text.shared_entries * (context.value_bytes + 4.0))));
  return std::max(1.0, groups) * warps_per_group * std::max(1, context.compute_units);
}

// Work of the GPU kernels on CSR with a loop per row: csr-scalar (a thread per row), csr-vector (a warp) and csr-half
// (half a warp).

namespace {
using gpu::real;

// Rows begin at multiples of the greatest common divisor of all lengths, as far as a sector tells them apart.
std::int64_t start_step(const Structure& s, std::int64_t per) {
  std::int64_t step = per;
  for (const RowLengthCount& entry : s.row_histogram) step = std::gcd(step, entry.length);
  return step;
}

// Of all rows' entries, which `lanes` threads read side by side: arrays of columns and of values.
double row_sectors(const Structure& s, std::int64_t lanes, int value_bytes) {
  double sectors = 0;
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / value_bytes}) {
    const std::int64_t step = start_step(s, per);
    for (const RowLengthCount& entry : s.row_histogram)
      sectors += mean_sectors_of_run(entry.length, step, lanes, per) * real(entry.rows);
  }
  return sectors;
}

// Of threads that walk a row each: in a step those whose row is long enough ask for one entry each. Two of them share a
// sector where the rows between them are short, and none do from the step on that is as long as a sector.
double lane_sectors(const Structure& s, int warp, std::int64_t per) {
  const double rows = std::max(1.0, real(s.rows)), warps = std::ceil(rows / warp);
  double sectors = 0;
  double active = rows, short_entries = 0;  // rows longer than `step`; entries of the others
  auto entry = s.row_histogram.begin();
  for (std::int64_t step = 0; step < per - 1; ++step) {
    while (entry != s.row_histogram.end() && entry->length <= step) {
      active -= real(entry->rows);
      short_entries += real(entry->rows * entry->length);
      ++entry;
    }
    if (active <= 0) return sectors;
    // Entries of the shorter rows between two of these, in the mean.
    const double between = short_entries / active;
    double apart = 0;  // chance that the next of these begins another sector
    for (auto longer = entry; longer != s.row_histogram.end(); ++longer)
      apart += real(longer->rows) * std::min(1.0, (real(longer->length) + between) / static_cast<double>(per));
    const double filled = warps * (1 - std::pow(1 - active / rows, std::min<double>(warp, rows)));
    sectors += filled + (active - filled) * apart / active;
  }
  for (const RowLengthCount& of : s.row_histogram)
    sectors += real(of.rows * std::max<std::int64_t>(0, of.length - per + 1));
  return sectors;
}

void count_lanes(const Structure& s, const GpuContext& context, std::int64_t lanes, Workload& w) {
  GpuWork& work = w.gpu_work;
  work.launches = 1;
  work.groups = work.sums = real(gpu_groups(s.rows, gpu_group_threads / lanes));
  double lane_steps = 0;
  for (const RowLengthCount& entry : s.row_histogram)
    lane_steps += real(parts_of(entry.length, lanes) * lanes * entry.rows);
  work.warp_steps = lane_steps / context.warp_size;
  work.idle = lane_steps - real(s.nonzeros);
  work.sectors = row_sectors(s, lanes, context.value_bytes);
  work.chain = real(context.processor ? s.row_max : parts_of(s.row_max, lanes));
  gpu::count_rows_ends(s, mispredicted_share(s) * real(s.rows), context, w);
}
}  // namespace

void count_csr_scalar_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  work.launches = 1;
  work.groups = real(gpu_groups(s.rows, gpu_group_threads));
  // A warp of rows in the order of the matrix takes as long as the longest of them.
  const SliceWork* warps = s.slice(context.warp_size, 1);
  const double lane_steps = warps != nullptr ? real(warps->slots) : real(s.nonzeros);
  work.warp_steps = lane_steps / context.warp_size;
  work.idle = std::max(0.0, lane_steps - real(s.nonzeros));
  work.sectors = lane_sectors(s, context.warp_size, sector_bytes / 4) +
                 lane_sectors(s, context.warp_size, sector_bytes / context.value_bytes);
  work.chain = real(s.row_max);
  gpu::count_rows_ends(s, mispredicted_share(s) * real(s.rows), context, w);
  if (context.processor) count_branches(w.nonzeros, w);  // an entry, a branch
}

void count_csr_vector_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  count_lanes(s, context, context.warp_size, w);
}

void count_csr_half_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  count_lanes(s, context, std::max(1, context.warp_size / 2), w);
}

// Work of the GPU kernels that deal entries to threads in equal tiles, whatever the rows: coo, csr-merge, and hyb,
// whose overflow is coo's.

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

void count_csr_stream_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  const std::int64_t of_group = gpu_stream_rows(s.rows, s.nonzeros);
  work.launches = 1;
  work.groups = work.sums = real(gpu_groups(s.rows, of_group));
  // The last warp that reads of a group is half empty in the mean.
  const double in_group = real(s.nonzeros) / work.groups;
  work.idle = work.groups * context.warp_size / 2;
  work.warp_steps = (real(s.nonzeros) + work.idle) / context.warp_size;
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes}) {
    const std::int64_t step = s.row_histogram.size() == 1 ? std::gcd(per, s.row_max * of_group) : start_step(s, per);
    work.sectors +=
        work.groups * mean_sectors_of_run(std::llround(in_group), step, std::int64_t{2} * context.warp_size, per);
  }
  work.chain = real(s.row_max);
  if (!context.processor) {
    // The longest group reads its entries by all threads, and adds up a row by as many as each row has; 20 additions
    // take as long as a turn of reading (seen on an H100, whose errors were looked at; docs/results-gpu.md).
    const double of_lane = real(s.row_max) + (in_group > real(gpu_stream_tile) ? in_group : 0);
    work.chain = (real(s.row_max) + in_group + of_lane * real(of_group) / 20) / gpu_group_threads;
  }
  gpu::count_rows_ends(s, mispredicted_share(s) * real(s.rows), context, w);
}

namespace {
// As greedily filled as by row_tiles(), of rows in any order within each block of rows that is counted: a tile
// leaves half of the row that fits no more.
double row_tile_count(const Structure& s) {
  const double tile = real(gpu_row_tile);
  double parts = 0, cut = 0, entries = 0, squares = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const double rows = real(entry.rows), length = real(entry.length);
    if (length > tile) {
      parts += rows * real(parts_of(entry.length, gpu_row_tile));
      cut += rows;
    } else {
      entries += rows * length;
      squares += rows * length * length;
    }
  }
  const double whole = real(s.rows) - cut, filled = tile - (entries > 0 ? squares / entries - 1 : 0) / 2;
  const std::size_t blocks = std::max<std::size_t>(1, s.block_nonzeros.size());
  double tiles = 0;
  for (std::size_t b = 0; b < blocks; ++b) {
    const double all = std::max(1.0, real(s.nonzeros)),
                 share = s.block_nonzeros.empty() ? 1 : real(s.block_nonzeros[b]) / all;
    tiles += std::max(share * entries / filled, whole / real(static_cast<std::int64_t>(blocks)) / gpu_group_threads);
  }
  // Where a row is cut, the tile before it is half full in the mean.
  return std::max(s.rows > 0 ? 1.0 : 0.0, std::ceil(tiles + parts + cut / 2 * whole / std::max(1.0, real(s.rows))));
}
}  // namespace

void count_csr_tiles_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  work.launches = 1;
  work.groups = work.sums = std::max(1.0, row_tile_count(s));
  const double in_group = real(s.nonzeros) / work.groups;
  work.idle = work.groups * context.warp_size / 2;
  work.warp_steps = (real(s.nonzeros) + work.idle) / context.warp_size;
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes})
    work.sectors +=
        work.groups * mean_sectors_of_run(std::llround(in_group), start_step(s, per), context.warp_size, per);
  work.chain = real(parts_of(std::min(s.nonzeros, gpu_row_tile), gpu_group_threads));
  if (s.row_max > gpu_row_tile) work.carries = real(parts_of(s.row_max, gpu_row_tile));
  if (!context.processor) return;
  work.chain = real(std::min(s.nonzeros, gpu_row_tile));
  gpu::count_rows_ends(s, mispredicted_share(s) * real(s.rows), context, w);
}

// Work of the GPU kernels with a thread per row on formats stored column by column: ell, jad and sell.

namespace {
using gpu::real;

// On a processor, rows of this length a page's part apart: their lines meet in the same sets of the first cache, which
// holds eight of each. As count_ell() counts for the host.
double aliased_slots(std::int64_t rows, std::int64_t width, int value_bytes) {
  constexpr std::int64_t page = 4096, line = 64, ways = 8;
  const std::int64_t stride = rows * value_bytes;
  const std::int64_t places = ways * (page / std::max(line, std::gcd(stride, page)));
  return real(rows) * std::max(0.0, real(width) - real(places));
}

// Rows, sorted by length over the whole matrix, in warps: each takes as many steps as its first row.
double steps_longest_first(const Structure& s, int warp) {
  double steps = 0;
  std::int64_t before = 0;
  for (auto entry = s.row_histogram.rbegin(); entry != s.row_histogram.rend(); ++entry) {
    steps += real((parts_of(before + entry->rows, warp) - parts_of(before, warp)) * entry->length);
    before += entry->rows;
  }
  return steps;
}

// Diagonals of equal length follow each other: as many as between one row length and the next.
double diagonal_sectors(const Structure& s, int warp, std::int64_t per) {
  double sectors = 0;
  std::int64_t begin = 0, rows = s.rows, reached = 0;
  for (const RowLengthCount& entry : s.row_histogram) {
    const std::int64_t diagonals = entry.length - reached;
    sectors += real(sectors_of_columns(begin, rows, diagonals, warp, per));
    begin += rows * diagonals;
    reached = entry.length;
    rows -= entry.rows;
  }
  return sectors;
}

// In windows sorted by length a length changes as often as there are lengths.
double changes_in_windows(const Structure& s, std::int64_t window_rows) {
  const double lengths = real(static_cast<std::int64_t>(s.row_histogram.size())) - 1;
  return std::min(mispredicted_share(s) * real(s.rows), real(parts_of(s.rows, window_rows)) * std::max(0.0, lengths));
}
}  // namespace

void count_ell_part_on_gpu(const Structure& s, std::int64_t width, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  work.launches += 1;
  work.groups += real(gpu_groups(s.rows, gpu_group_threads));
  work.warp_steps += real(parts_of(s.rows, context.warp_size) * width);
  work.idle += real((parts_of(s.rows, context.warp_size) * context.warp_size - s.rows) * width);
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes})
    work.sectors += real(sectors_of_columns(0, s.rows, width, context.warp_size, per));
  work.chain += real(width);
  if (!context.processor) return;
  work.walked = gpu::walked_slots(real(width), real(s.rows));
  w.aliased = aliased_slots(s.rows, width, context.value_bytes);
}

void count_ell_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  count_ell_part_on_gpu(s, s.row_max, context, w);
  gpu::count_rows_ends(s, mispredicted_share(s) * real(s.rows), context, w);
}

void count_jad_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  work.launches = 1;
  work.groups = real(gpu_groups(s.rows, gpu_group_threads));
  work.warp_steps = steps_longest_first(s, context.warp_size);
  work.idle = std::max(0.0, work.warp_steps * context.warp_size - real(s.nonzeros));
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes})
    work.sectors += diagonal_sectors(s, context.warp_size, per);
  work.chain = real(s.row_max);
  // Rows of one length keep their order, others lie anywhere in y.
  work.scattered = differing_share(s) * real(s.rows);
  if (context.processor) work.walked = gpu::walked_slots(s);
}

namespace {
// Slices begin with a sector: so many bytes of every slot.
void count_slices(const Structure& s, double slot_bytes, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  work.launches = 1;
  work.groups = real(gpu_groups(s.rows, gpu_group_threads));
  work.warp_steps = w.slots / gpu_sell.slice_rows;
  work.sectors += w.slots * slot_bytes / real(sector_bytes);
  work.chain = real(s.row_max);
  gpu::count_rows_ends(s, changes_in_windows(s, gpu_sell.sort_rows), context, w);
  if (context.processor) work.walked = gpu::walked_slots(s);
}
}  // namespace

void count_sell_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  count_slices(s, 4.0 + context.value_bytes, context, w);
}

void count_sell_compact_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  const int stored = stored_bytes(stored_on_gpu(s.compact, context.value_bytes), context.value_bytes);
  count_slices(s, 2 + 2 * far_share(s) + stored, context, w);
}
}  // namespace sparsecast::formats

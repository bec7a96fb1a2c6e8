// Work of the GPU kernels with a thread per row on formats stored column by column: ell, jad and sell.

#include <algorithm>
#include <numeric>

#include "formats/gpu/gpu_common.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/gpu/sectors.hpp"
#include "formats/sell.hpp"

namespace sparsecast::formats {
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

void count_sell_on_gpu(const Structure& s, const GpuContext& context, Workload& w) {
  GpuWork& work = w.gpu_work;
  w.padding = std::max(0.0, w.slots - w.nonzeros);
  work.launches = 1;
  work.groups = real(gpu_groups(s.rows, gpu_group_threads));
  work.warp_steps = w.slots / gpu_sell.slice_rows;
  // Slices begin with a sector.
  for (const std::int64_t per : {sector_bytes / 4, sector_bytes / context.value_bytes})
    work.sectors += w.slots / real(per);
  work.chain = real(s.row_max);
  gpu::count_rows_ends(s, changes_in_windows(s, gpu_sell.sort_rows), context, w);
  if (context.processor) work.walked = gpu::walked_slots(s);
}

}  // namespace sparsecast::formats

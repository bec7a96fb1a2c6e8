// Work of the GPU kernels on CSR with a loop per row: csr-scalar (a thread per row), csr-vector (a warp) and csr-half
// (half a warp).

#include <algorithm>
#include <cmath>
#include <numeric>

#include "formats/gpu/gpu_common.hpp"
#include "formats/gpu/gpu_shape.hpp"
#include "formats/gpu/sectors.hpp"

namespace sparsecast::formats {
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

}  // namespace sparsecast::formats

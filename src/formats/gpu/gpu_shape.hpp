#pragma once
// How products on a GPU are cut into work-groups: the numbers that the kernel texts (hardware/gpu/kernels), the
// launches (hardware/gpu/gpu_product) and the counting of their work (gpu_counts.hpp) share.

#include <algorithm>
#include <numeric>
#include <sparsecast/structure.hpp>

namespace sparsecast::formats {
inline constexpr int gpu_group_threads = 256;  ///< threads of a work-group in every kernel
inline constexpr int gpu_thread_items = 7;     ///< ITEMS of coo.cl and csr_merge.cl
/// Non-zeros (coo) or items of the merged list (csr-merge) that a group takes at a time.
inline constexpr std::int64_t gpu_tile_items = std::int64_t{gpu_thread_items} * gpu_group_threads;
/// Groups per compute unit of coo and csr-merge: some that wait for each that runs (5 to 8 on an H100), not so many
/// that the pass over the carries grows. Of 6 to 64, on an H100 and four kinds of matrix.
inline constexpr int gpu_groups_per_unit = 16;

constexpr std::int64_t parts_of(std::int64_t total, std::int64_t part) { return total / part + (total % part != 0); }

inline constexpr std::int64_t gpu_stream_tile = 8 * gpu_group_threads;  ///< STREAM_TILE of csr_stream.cl

/// Rows of a group of csr-stream: a power of two, so many that the mean group's entries are one tile and some room is
/// left in it; 8 to 256, so that a row has at most a warp's threads and at least one.
constexpr std::int64_t gpu_stream_rows(std::int64_t rows, std::int64_t nonzeros) {
  constexpr std::int64_t filled = gpu_stream_tile * 3 / 4;
  std::int64_t of_group = gpu_group_threads;
  while (of_group > 8 && nonzeros * of_group > filled * rows) of_group /= 2;
  return of_group;
}

inline constexpr std::int64_t gpu_row_tile = 4 * gpu_group_threads;  ///< ROW_TILE of csr_tiles.cl

/// Groups of a kernel with a unit of work per so many threads.
constexpr std::int64_t gpu_groups(std::int64_t units, std::int64_t units_per_group) {
  return std::max<std::int64_t>(1, parts_of(units, units_per_group));
}

/// Tiles dealt to groups, of which at most so many run at once; every group takes neighbouring tiles.
struct GpuCut {
  std::int64_t groups = 1, tiles_per_group = 1;
};
constexpr GpuCut cut_tiles(std::int64_t tiles, std::int64_t most_groups) {
  const std::int64_t wanted = std::clamp<std::int64_t>(tiles, 1, std::max<std::int64_t>(1, most_groups));
  const std::int64_t per_group = std::max<std::int64_t>(1, parts_of(tiles, wanted));
  return {std::max<std::int64_t>(1, parts_of(tiles, per_group)), per_group};
}

// Sectors: memory of a GPU is read in pieces of 32 bytes, and neighbouring threads that ask at once share them. How
// many a read touches follows from where it begins; one that begins within a sector touches a partial one more.
//
// `per` is how many entries a sector holds, `lanes` how many threads ask together (a multiple of `per`), `offset` how
// many entries after the beginning of a sector an array's part begins.

inline constexpr std::int64_t sector_bytes = 32;

/// Of so many entries that are asked for at once.
constexpr std::int64_t sectors_at_once(std::int64_t offset, std::int64_t entries, std::int64_t per) {
  return entries <= 0 ? 0 : (offset % per + entries - 1) / per + 1;
}

/// Of entries in succession that `lanes` threads read side by side, step after step.
constexpr std::int64_t sectors_of_run(std::int64_t offset, std::int64_t entries, std::int64_t lanes, std::int64_t per) {
  return entries / lanes * sectors_at_once(offset, lanes, per) + sectors_at_once(offset, entries % lanes, per);
}

/// Of `columns` such runs that follow each other in memory, the first `offset` entries after a sector's beginning.
/// Where they begin repeats after a few.
constexpr std::int64_t sectors_of_columns(std::int64_t offset, std::int64_t entries, std::int64_t columns,
                                          std::int64_t lanes, std::int64_t per) {
  const std::int64_t period = per / std::gcd(entries, per);
  std::int64_t sectors = 0;
  for (std::int64_t k = 0; k < period && k < columns; ++k)
    sectors += ((columns - k - 1) / period + 1) * sectors_of_run(offset + k * entries, entries, lanes, per);
  return sectors;
}

/// The mean over the places where such a run may begin: multiples of `step` entries, a divisor of `per`.
constexpr double mean_sectors_of_run(std::int64_t entries, std::int64_t step, std::int64_t lanes, std::int64_t per) {
  double sectors = 0;
  for (std::int64_t offset = 0; offset < per; offset += step)
    sectors += static_cast<double>(sectors_of_run(offset, entries, lanes, per));
  return sectors * static_cast<double>(step) / static_cast<double>(per);
}

/// Bytes on the device: the format's arrays and what the kernel needs beside them, without x and y.
/// Error usage where no such kernel runs on GPUs.
std::int64_t gpu_format_bytes(const Structure& structure, std::string_view kernel, Precision precision);
}  // namespace sparsecast::formats

#pragma once
// How products on a GPU are cut into work-groups: the numbers that the kernel texts (devices/gpu/kernels), the launches
// (devices/gpu/gpu_product) and the counting of their work (gpu_counts.hpp) share.

#include <algorithm>
#include <cstdint>

namespace sparsecast::formats {

inline constexpr int gpu_group_threads = 256;  ///< threads of a work-group in every kernel
inline constexpr int gpu_thread_items = 7;     ///< ITEMS of coo.cl and csr_merge.cl
/// Non-zeros (coo) or items of the merged list (csr-merge) that a group takes at a time.
inline constexpr std::int64_t gpu_tile_items = std::int64_t{gpu_thread_items} * gpu_group_threads;
/// Groups per compute unit of coo and csr-merge, which cut their work into as many parts as can run at once: their
/// 25 KB of local memory each let 6 run on an A100 (164 KB), and more would only lengthen the pass over the carries.
inline constexpr int gpu_groups_per_unit = 6;

constexpr std::int64_t parts_of(std::int64_t total, std::int64_t part) { return total / part + (total % part != 0); }

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

}  // namespace sparsecast::formats

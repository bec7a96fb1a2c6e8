#include "gpu_code/times/occupancy.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
Occupancy occupancy(const KernelTimes& t, const KernelResources& r, std::int64_t threads) {
  // CUDA occupancy calculator: registers are handed out per warp in units of 256, and warps to the four partitions in
  // turn.
  const std::int64_t warps = (threads + 32 * t.wave_warps - 1) / (32 * t.wave_warps) * t.wave_warps;
  const std::int64_t per_warp = (static_cast<std::int64_t>(std::max(r.registers, 1)) * 32 + 255) / 256 * 256;
  const std::int64_t warps_by_registers = t.registers / t.partitions / per_warp * t.partitions;
  const std::int64_t shared = r.shared_bytes + t.shared_reserved_bytes;
  const std::int64_t shared_block = (shared + t.shared_unit_bytes - 1) / t.shared_unit_bytes * t.shared_unit_bytes;
  Occupancy o;
  std::int64_t blocks = INT64_MAX;
  const auto limit = [&](std::int64_t count, const char* by) {
    if (count >= blocks) return;
    blocks = count;
    o.limited_by = by;
  };
  limit(t.max_blocks, "blocks");
  limit(t.max_warps / warps, "warps");
  limit(warps_by_registers / warps, "registers");
  const std::int64_t without_shared = blocks;
  if (shared_block > 0) limit(t.shared_max_bytes / shared_block, "shared memory");
  if (blocks < 1)
    throw Error(ErrorCode::bad_input,
                fmt::format("no block of {} threads with {} registers each and {} bytes of shared memory fits on a "
                            "multiprocessor of {}",
                            threads, r.registers, r.shared_bytes, t.name),
                {}, fmt::format("{} is the limit: use smaller blocks", o.limited_by));
  o.blocks = static_cast<int>(blocks);
  o.warps = static_cast<int>(blocks * warps);
  // The driver takes the smallest carve-out with which as many blocks fit as the other limits allow.
  const std::int64_t wanted = std::min(without_shared * shared_block, blocks * shared_block);
  std::int64_t carveout = t.shared_max_bytes;
  for (auto c = t.carveouts_bytes.rbegin(); c != t.carveouts_bytes.rend(); ++c)
    if (*c >= (r.shared_bytes > 0 ? wanted : 0)) carveout = *c;
  o.l1_bytes = std::max<std::int64_t>(t.unified_bytes - carveout, 16384);
  return o;
}
}  // namespace sparsecast::gpu_code

#pragma once
// How the atomic operations of all blocks of a launch meet on lines of the second level.

#include "gpu_code/trace/atomic_lines.hpp"
#include "gpu_code/trace/code.hpp"
#include "gpu_code/trace/footprint.hpp"

namespace sparsecast::gpu_code {
/// `footprint` says how a block's lines move from block to block; some blocks, drawn by a fixed seed, are followed to
/// see whether their atomic operations lie where that says. `wave`: blocks that run at once.
[[nodiscard]] AtomicTraffic atomic_traffic(const Code& code, const Launch& launch, const Dim3& base,
                                           const BlockTrace& block, const LaunchFootprint& footprint,
                                           std::int64_t wave);
}  // namespace sparsecast::gpu_code

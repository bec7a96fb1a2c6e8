#pragma once
// Traces as they would be without one of the things that authors of kernels take out: what a forecast of them gains is
// what the change is worth.

#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
/// Shared memory without bank conflicts: every access in as few passes as its bytes need.
[[nodiscard]] BlockTrace without_bank_conflicts(const BlockTrace& trace);
/// Global accesses in as few lines as their bytes need.
[[nodiscard]] BlockTrace coalesced(const BlockTrace& trace);
/// Without local memory, where registers are spilled.
[[nodiscard]] BlockTrace without_local_memory(const BlockTrace& trace);
}  // namespace sparsecast::gpu_code

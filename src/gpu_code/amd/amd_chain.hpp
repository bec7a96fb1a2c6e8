#pragma once
// How long a wave takes for the order of its own arithmetic: an instruction waits for the results that it reads.

#include <map>

#include "gpu_code/amd/amd_assembly.hpp"
#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// Cycles for which an instruction keeps its unit.
[[nodiscard]] double amd_issue_cycles(const AmdInstruction& instruction, const KernelTimes& times);
/// Of one wave, alone on its unit; `passes`: how often it goes through each loop.
[[nodiscard]] double amd_chain_cycles(const AmdKernel& kernel, const std::map<std::int32_t, double>& passes,
                                      const KernelTimes& times);
}  // namespace sparsecast::gpu_code

#pragma once
// The time of a launch on an AMD device: its own assembly's instructions, executed as often as the trace of the same
// source says, against the resources of a compute unit. Static: no schedule is simulated. What of it is published and
// what was found on a measured table stands in docs/results-kernel.md.

#include "gpu_code/amd/amd_assembly.hpp"
#include "gpu_code/amd/source_statements.hpp"
#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
/// A kernel's assembly, and the statements of the source that it was compiled from.
struct AmdCode {
  AmdKernel kernel;
  SourceStatements statements{""};
};

/// `traced` is of the PTX of the same source.
[[nodiscard]] Overlap amd_time(const AmdCode& code, const PtxCode& ptx, const TracedLaunch& traced,
                               const KernelTimes& times, const Occupancy& fits);
/// Of one block alone on a compute unit, its data in the second level, without the start of the launch.
[[nodiscard]] double amd_alone_s(const AmdCode& code, const PtxCode& ptx, const Launch& launch, const Dim3& block,
                                 const BlockTrace& trace, const KernelTimes& times, Occupancy fits);
}  // namespace sparsecast::gpu_code

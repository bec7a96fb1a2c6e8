#pragma once
// AMD's wavefronts of 64 lanes out of a trace of warps of 32: two neighbouring warps make one, whose memory
// instructions touch what both do.

#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {

[[nodiscard]] BlockTrace wavefront_trace(const BlockTrace& warps);

}  // namespace sparsecast::gpu_code

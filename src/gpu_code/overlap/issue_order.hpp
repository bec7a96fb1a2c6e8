#pragma once
// The traces of a block's warps as a multiprocessor issues them, and how much each step stands for. Private to the
// overlap model.

#include <vector>

#include "gpu_code/overlap/timed_code.hpp"
#include "gpu_code/trace/warp_run.hpp"

namespace sparsecast::gpu_code {

/// Machine code: as traced. PTX: instructions of a basic block in the order of the schedule.
[[nodiscard]] std::vector<std::vector<TraceStep>> issue_order(const TimedCode& code, const BlockTrace& trace);

/// How often every step of the traces ran: steps of a window stand for those that were left out after it, too.
[[nodiscard]] std::vector<std::vector<float>> step_weights(const BlockTrace& trace);

}  // namespace sparsecast::gpu_code

#pragma once
// What the three questions about a GPU kernel have in common.

#include <sparsecast/answers/kernel.hpp>

#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/launch.hpp"

namespace sparsecast::answers {
/// Error usage for an unknown model, and for a define that is none.
void check_kernel_request(const KernelRequest& request);
/// The device's table, at the clock that was asked for.
[[nodiscard]] gpu_code::KernelTimes kernel_times_of(const KernelRequest& request);
[[nodiscard]] gpu_code::Launch launch_of(const KernelRequest& request);
/// Compiled at a time.
[[nodiscard]] int jobs_of(const KernelRequest& request);
}  // namespace sparsecast::answers

#pragma once
// Kernel times of a device that was calibrated: the readings of its micro-benchmarks (devices/gpu/micro_benchmarks.hpp)
// laid over the shipped table of the same compute capability. What was not measured stays as the table has it;
// `sources` says which is which.

#include <sparsecast/profile.hpp>
#include <string>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// The table of the profile's own board where one ships, else that of its family with the device's own limits. Error
/// unavailable where the profile is not of a CUDA device or has no micro-benchmarks; bad_input where the table lacks
/// what the profile does not tell.
[[nodiscard]] KernelTimes measured_times(const Profile& profile);

/// Only the laying over: `properties` tells how many multiprocessors shared the work. A reading whose longer run is not
/// longer is passed over.
[[nodiscard]] KernelTimes laid_over(KernelTimes table, const DeviceProperties& properties,
                                    const std::vector<MicroBenchmark>& readings);

/// What --device names: a shipped table, a table's file, a profile's file, or a calibrated device ("cuda:0").
[[nodiscard]] KernelTimes times_of_device(const std::string& name);
}  // namespace sparsecast::gpu_code

#pragma once
// Kernel times of a device without a table of its own: the nearest board's with the device's limits, and over them the
// readings of its micro-benchmarks (hardware/gpu/micro_benchmarks.hpp) where it was calibrated; `sources` says which is
// which.

#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// The table of the device's own board where one ships, else that of the nearest board (by architecture, then by
/// multiprocessors) with the device's own limits; and on it what the profile's micro-benchmarks tell. Error unavailable
/// where it is not of a CUDA device or has none of them; bad_input where the table lacks what the profile does not
/// tell.
[[nodiscard]] KernelTimes measured_times(const Profile& profile);

/// Only the laying over: `properties` tells how many multiprocessors shared the work. A reading whose longer run is not
/// longer is passed over.
[[nodiscard]] KernelTimes laid_over(KernelTimes table, const DeviceProperties& properties,
                                    const std::vector<MicroBenchmark>& readings);

/// What --device names: a shipped table, a GPU of the catalogue, a file of a table, a profile or a description, or a
/// calibrated device ("cuda:0").
[[nodiscard]] KernelTimes times_of_device(const std::string& name);
}  // namespace sparsecast::gpu_code

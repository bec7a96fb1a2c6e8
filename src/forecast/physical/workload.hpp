#pragma once
// The workload (formats/workload.hpp) of one product of a kernel on a device: the part that is every kernel's, with the
// reads of x that miss its caches, and what the table of kernels says that this one does.

#include <sparsecast/device.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
using formats::ThreadPart;
using formats::Workload;

/// The part that is every kernel's alone, as of a feature record.
Workload estimated_workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties);

/// Amounts of one product of `kernel` (a name of the kernel table, or any other from an imported profile), counted
/// (Workload::exact) where the structure came from a matrix: on the host, and of our own kernels on a GPU.
Workload workload(const Structure& structure, const std::string& kernel, const DeviceProperties& properties,
                  Precision precision, int threads);

// The same product on a faster or slower core. What is served from the caches moves with the core's clock, what comes
// from memory does not; records and forecasts are brought to one speed before they are compared.

/// Share of a product's time that moves with the core's clock, 0 … 1: all of it while the product's `bytes` fit the
/// last cache, falling beyond.
[[nodiscard]] double core_share(const DeviceProperties& properties, double bytes);

/// The speed (core_step_seconds(), the smaller the faster) that forecasts from this profile are for: the median over
/// its records; 0 where none tells.
[[nodiscard]] double reference_step(const Profile& profile, const FitOptions& options);

/// The same of how long its threads take to start (fork_join_seconds()); 0 for one thread.
[[nodiscard]] double reference_launch(const Profile& profile, const FitOptions& options);

/// Factor for a time of a product of so many bytes between a core at `from_step` and one at `to_step`; 1 where either
/// is not known (0).
[[nodiscard]] double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step);
}  // namespace sparsecast::forecast

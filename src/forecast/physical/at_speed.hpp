#pragma once
// The same product on a faster or slower core. What is served from the caches moves with the core's clock, what comes
// from memory does not; records and forecasts are brought to one speed before they are compared.

#include <sparsecast/profile.hpp>

#include "forecast/record_set.hpp"

namespace sparsecast::forecast {
/// Share of a product's time that moves with the core's clock, 0 … 1: all of it while the product's `bytes` fit the
/// last cache, falling beyond.
[[nodiscard]] double core_share(const DeviceProperties& properties, double bytes);

/// The speed (core_step_seconds(), the smaller the faster) that forecasts from this profile are for: the median over
/// its records; 0 where none tells.
[[nodiscard]] double reference_step(const Profile& profile, const RecordSet& records);

/// The same of how long its threads take to start (fork_join_seconds()); 0 for one thread.
[[nodiscard]] double reference_launch(const Profile& profile, const RecordSet& records);

/// Factor for a time of a product of so many bytes between a core at `from_step` and one at `to_step`; 1 where either
/// is not known (0).
[[nodiscard]] double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step);
}  // namespace sparsecast::forecast

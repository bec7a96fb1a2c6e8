#pragma once
// What a read of x at random costs beyond each size of memory, from the measured curve of gathers: reads at random over
// S bytes take G(S) = Σ g(C) · (1 − C/S) beyond those that hit, C the capacities below S; solved for g from the
// smallest on.

#include <array>
#include <sparsecast/profile.hpp>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
using ScatteredSeconds = std::array<double, formats::Workload::scatter_levels>;

/// Seconds per read beyond Workload::scatter_capacity(level), of all threads together; 0 where the second-level cache
/// and some times its size hold it, which have a price of their own. Without a curve, a line of 64 bytes at the
/// device's bandwidth beyond its last cache.
ScatteredSeconds scattered_seconds(const Profile& profile, int threads);
}  // namespace sparsecast::forecast

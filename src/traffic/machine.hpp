#pragma once
// A region's movement on a machine: how much of it reaches each level of the cache hierarchy, and how long that takes
// at the bandwidths that were measured there. Arrays are followed as wholes (stack distances of the trace), so reuse
// inside a single operation is not seen.

#include <sparsecast/profile.hpp>

#include "traffic/traffic.hpp"

namespace sparsecast::traffic {

/// Fills levels and seconds of every region; `threads` chooses among the profile's bandwidth curves (0: the first there
/// is). Error bad_input for a profile without caches or without read_bandwidth.
void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads);

}  // namespace sparsecast::traffic

#pragma once
// A region's movement on a machine: how much of it reaches each level of the cache hierarchy, and how long that takes
// at the bandwidths that were measured there, sparse products by the forecast models. Arrays are followed as wholes
// (stack distances of the trace), so reuse inside a single operation is not seen.

#include <functional>
#include <optional>
#include <sparsecast/profile.hpp>

#include "traffic/run/traffic.hpp"

namespace sparsecast::traffic {

/// Seconds of one product of a sparse matrix in CSR with a vector; nullopt where nothing is known.
using ProductForecast = std::function<std::optional<double>(const Structure&)>;

/// Fills levels and seconds of every region; `threads` chooses among the profile's bandwidth curves (0: the first there
/// is). Products that `forecast` knows take its seconds and not those of their bytes. Error bad_input for a profile
/// without caches or without read_bandwidth.
void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads, const ProductForecast& forecast = {});

}  // namespace sparsecast::traffic

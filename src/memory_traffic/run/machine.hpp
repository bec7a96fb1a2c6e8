#pragma once
// A region's movement on a machine: how much of it reaches each level of the cache hierarchy, and how long that takes
// at the bandwidths that were measured there; sparse products by the forecast models. Arrays are followed as wholes
// (stack distances of the trace), so reuse inside a single operation is not seen.

#include <functional>
#include <optional>
#include <sparsecast/profile.hpp>
#include <sparsecast/program_traffic.hpp>
#include <vector>

namespace sparsecast::memory_traffic {
/// Seconds of one product of a sparse matrix in CSR with a vector; nullopt where nothing is known.
using ProductForecast = std::function<std::optional<double>(const Structure&)>;

/// Fills levels and seconds of every region; `threads` chooses among the profile's bandwidth curves (0: the first there
/// is). Products that `forecast` knows take its seconds and not those of their bytes. Error bad_input for a profile
/// without caches or without read_bandwidth.
void apply_machine(ProgramTraffic& traffic, const Profile& machine, int threads, const ProductForecast& forecast = {});

/// Bytes/s of reading over the footprint, as read_bandwidth, of a machine of which only the data sheet is known: of
/// memory four fifths of what it says, of a processor's first level two vector registers a cycle and core, of the
/// second one, of the third a quarter; of a GPU 64 bytes a cycle and multiprocessor, of its last cache three times its
/// memory. Rules of thumb, good for a ranking.
Curve described_curve(const DeviceProperties& properties);

/// The outermost regions of the program's own file: those of the script, of its functions where it has none.
std::vector<const RegionTraffic*> outermost_regions(const ProgramTraffic& traffic);
/// Their levels and seconds together, behind apply_machine().
ProgramLevels whole_of(const ProgramTraffic& traffic);
}  // namespace sparsecast::memory_traffic

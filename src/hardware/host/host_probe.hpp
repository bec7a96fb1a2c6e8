#pragma once
// A first look at the host in some 40 ms: what its memory gives at a few footprints, what a load, a gather, a parallel
// region and fresh memory cost. Coarser than host_curves.hpp, whose curves it has points of.

#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>
#include <vector>

namespace sparsecast::hardware {
/// The curves read_bandwidth, gather_rate and launch with each of these numbers of threads; latency (first level alone)
/// and fresh_bandwidth of one. A point is the least of some repeats; curves of several threads that other programs
/// disturbed all the same are left out.
std::vector<Curve> probe_host_curves(const DeviceProperties& properties, const std::vector<int>& threads);
}  // namespace sparsecast::hardware

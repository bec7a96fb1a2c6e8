#pragma once
// Micro-benchmarks of this node, as the paper's model from micro-benchmarks wants them: STREAM-like bandwidth of one
// process over its footprint while 1 … all cores are busy, latency of memory, time of a fused multiply-add.

#include <sparsecast/device.hpp>

#include "cluster/cluster_profile.hpp"
#include "cluster/launch/job.hpp"

namespace sparsecast::cluster {
/// A node of a platform file, on which blocks that are timed here will run: alone a rank reads as fast as here; beside
/// others it has its share of the platform's cache and memory bandwidth. Without those in the file the curves are this
/// host's for a single rank, and nothing is shared.
NodeCurves node_on(const Platform& platform, NodeCurves host);

/// Curves over busy cores as curves over busy ranks that have so many threads each.
std::vector<BandwidthCurve> of_ranks(const std::vector<BandwidthCurve>& of_cores, int threads);

/// Curves of this host for so many ranks: as `sparsecast calibrate` measured them, or measured in about so many
/// seconds.
NodeCurves known_node(int cores, double seconds);

/// What the cores of a rank, so many of `cores` busy ones, have of a node's caches.
CacheShare cache_share(const DeviceProperties& node, int cores, int threads);
}  // namespace sparsecast::cluster

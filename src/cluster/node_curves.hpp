#pragma once
// Micro-benchmarks of this node, as the paper's model from micro-benchmarks wants them: STREAM-like bandwidth of one
// process over its footprint while 1 … all cores are busy, latency of memory, time of a fused multiply-add.

#include <optional>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {

/// Takes about `seconds` altogether. Threads stand for processes: they share caches and memory in the same way.
NodeCurves measure_node(int cores, double seconds);

/// The same from what `sparsecast calibrate` measured on this host: read_bandwidth with one and with all threads, whose
/// shares stand for processes, and latency; only the multiply-add is timed now. nullopt where the host was never
/// calibrated or another number of threads was.
std::optional<NodeCurves> calibrated_node(int cores);

/// What one of `cores` busy cores has of this machine's caches.
CacheShare cache_share(int cores);

}  // namespace sparsecast::cluster

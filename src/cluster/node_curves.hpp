#pragma once
// Micro-benchmarks of this node, as the paper's model from micro-benchmarks wants them: STREAM-like bandwidth of one
// process over its footprint while 1 … all cores are busy, latency of memory, time of a fused multiply-add.

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {

/// Takes about `seconds` altogether. Threads stand for processes: they share caches and memory in the same way.
NodeCurves measure_node(int cores, double seconds);

/// What one of `cores` busy cores has of this machine's caches.
CacheShare cache_share(int cores);

}  // namespace sparsecast::cluster

#pragma once
// What one node does for a rank: bytes a second over the footprint, with so many ranks busy, the latency of a load, the
// time of a multiply-add. Of this host, as calibration measured it or as it is measured now; of a platform that is
// simulated.

#include <sparsecast/device.hpp>
#include <vector>

#include "cluster/features/block_features.hpp"
#include "cluster/launch/platform.hpp"

namespace sparsecast::cluster {
/// STREAM-like triad: bytes/s of each process while `busy` of them run, over the bytes of its three arrays.
struct BandwidthCurve {
  int value_bytes = 8;  ///< 4: single, 8: double precision
  int busy = 1;
  std::vector<double> bytes, rate;
};

/// One dependent load within a ring of so many bytes.
struct LatencyCurve {
  std::vector<double> bytes, seconds;
};

struct NodeCurves {
  std::vector<BandwidthCurve> bandwidth;
  LatencyCurve latency;
  double fma_s = 0;  ///< one fused multiply-add with the pipeline full
};

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

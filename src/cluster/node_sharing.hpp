#pragma once
// What the ranks of one node cost each other: they share its last-level cache and its memory bandwidth, so that a
// product whose data lie beyond a core's own caches reads them more slowly while others work beside it.

#include <vector>

#include "cluster/node_curves.hpp"

namespace sparsecast::cluster {
/// Bytes/s that each of several busy ranks reads, from the curves of a node.
class NodeRates {
 public:
  explicit NodeRates(const NodeCurves& node);
  /// Ranks whose data take so many bytes each; 0 where no curve is known. Between two counts of busy ranks the time of
  /// a byte is interpolated; more ranks than were measured share what the most of them had together.
  [[nodiscard]] double rate(int busy, double footprint) const;

 private:
  std::vector<BandwidthCurve> curves_;  ///< in double precision, by busy ranks
};

/// Seconds that a product takes longer with `busy` ranks on its node than alone; 0 for one that stays in a core's own
/// caches.
double sharing_seconds(const BlockFeatures& block, LocalFormat format, const NodeRates& rates, const CacheShare& caches,
                       int busy);

/// Ranks beside one another on a full node.
constexpr int busy_ranks(int processes, int cores_per_node) {
  return processes < cores_per_node ? processes : cores_per_node;
}
}  // namespace sparsecast::cluster

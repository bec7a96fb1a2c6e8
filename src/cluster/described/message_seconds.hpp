#pragma once
// What the messages of one iteration take on a network that is only described.

#include "cluster/described/network.hpp"
#include "cluster/features/scheme_features.hpp"

namespace sparsecast::cluster {
/// Within a node: shared memory. Assumed, as in profiles/platforms/.
struct NearMessages {
  double latency_s = 3e-7;
  double bandwidth = 1e10;       ///< bytes/s that one core copies
  double node_bandwidth = 1e11;  ///< bytes/s of the node's memory
};

struct MessageSeconds {
  double latency_s = 0;    ///< steps and messages, whatever their size
  double bandwidth_s = 0;  ///< bytes
  [[nodiscard]] double seconds() const { return latency_s + bandwidth_s; }
};

/// Of one iteration. Ranks fill nodes in order, `ranks_per_node` on each.
MessageSeconds message_seconds(const SchemeFeatures& features, const Network& network, const NearMessages& near,
                               int ranks_per_node);
}  // namespace sparsecast::cluster

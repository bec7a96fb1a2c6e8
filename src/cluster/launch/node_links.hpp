#pragma once
// The links of a simulated cluster, where its platform is as simple as that.

namespace sparsecast::cluster {
/// A cluster whose nodes have an adapter each, full duplex, on a switch that nothing shares.
struct NodeLinks {
  double bandwidth = 0;  ///< bytes a second of an adapter, either way; 0: the platform is of another kind
  double latency = 0;    ///< of both links that a message passes
  double loopback_bandwidth = 0, loopback_latency = 0;  ///< within a node, for every message alone
  [[nodiscard]] bool known() const { return bandwidth > 0 && loopback_bandwidth > 0; }
};
}  // namespace sparsecast::cluster

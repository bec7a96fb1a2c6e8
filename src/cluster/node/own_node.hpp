#pragma once
// The products of a cluster's ranks by the profile that `sparsecast calibrate` made of this host, which stands for the
// cluster's nodes: one forecaster of single products for both. A model of the cluster takes them by a factor of its
// training runs, or weighs them against timed blocks (models/node_blend.hpp).

#include <map>
#include <memory>
#include <optional>

#include "cluster/cluster_profile.hpp"
#include "cluster/node/node_time.hpp"

namespace sparsecast::cluster {
class OwnNode {
 public:
  /// So many ranks fill a node. Knows nothing where the host was not calibrated.
  explicit OwnNode(int ranks_per_node, int threads_per_rank = 1, Precision precision = Precision::double_);
  [[nodiscard]] bool is_known() const { return profile_.has_value(); }
  /// Sets features.node_s of every format that the profile knows; leaves 0 of the others.
  void tell(SchemeFeatures& features, const Matrix& matrix, const Placement& placement);
  /// What this host's profile says now over what the runs of a calibration hold of it, of the smallest of their
  /// matrices that can be made again: 1 where it is the profile that they were forecast by. 0 where that cannot be
  /// told.
  [[nodiscard]] double ratio_to(const ClusterProfile& cluster);

 private:
  int ranks_per_node_, threads_;
  Precision precision_;
  std::optional<Profile> profile_;
  std::map<int, std::unique_ptr<NodeForecast>> by_ranks_;  ///< null: no records of so many threads

  NodeForecast* of_ranks(int ranks);
};

/// Whether a ratio_to() is of one host, calibrated once or twice.
[[nodiscard]] bool is_same_host(double ratio);
}  // namespace sparsecast::cluster

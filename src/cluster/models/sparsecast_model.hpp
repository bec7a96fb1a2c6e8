#pragma once
// Our model of an iteration on a cluster.

#include <memory>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
/// Ours: local products from timed blocks, messages from their own sizes and numbers, what sharing a node costs from
/// the training runs.
std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

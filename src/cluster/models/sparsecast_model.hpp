#pragma once
// Our model: local products by the host's profile or from timed blocks, messages from their own sizes and numbers, what
// sharing a node costs from the training runs.

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

#pragma once
// The paper's linear model.

#include <memory>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

/// The paper's linear model (section III-A), 2du only.
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);

}  // namespace sparsecast::cluster

#pragma once
// The paper's linear model (Hossain & Saule, section III-A), 2du only.

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

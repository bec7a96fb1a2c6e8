#pragma once
// The paper's model from micro-benchmarks (Hossain & Saule, section III-C): sums of costs, nothing trained on products.

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

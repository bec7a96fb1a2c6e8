#pragma once
// The paper's model from micro-benchmarks.

#include <memory>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

/// The paper's model from micro-benchmarks (section III-C): sums of costs, nothing trained on products.
std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile);

}  // namespace sparsecast::cluster

#pragma once
// The models of a cluster by name.

#include <memory>
#include <string>
#include <vector>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
/// By name or all of them ("all"), best first: sparsecast, microbench, svr, linear. `full`: as svr_model() has it.
/// Error usage for an unknown name.
std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile,
                                                          const std::string& which = "all", bool full = false);
}  // namespace sparsecast::cluster

#pragma once
// The paper's support-vector regression.

#include <memory>
#include <vector>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
/// The paper's polynomial support-vector regression (section III-B). Without libsvm it forecasts nothing.
/// Takes the parameters that the profile holds; for others it searches a part of the grid when it is first asked.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile);

/// The whole grid for every scheme, format and process count of the runs: C, γ and ε by 5-fold cross-validation. Some
/// seconds each. Empty without libsvm.
std::vector<RegressionChoice> search_regressions(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

#pragma once
// The paper's polynomial support-vector regression (Hossain & Saule, section III-B). Without libsvm it forecasts
// nothing.

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
/// Takes the parameters that the profile holds; for others it searches a part of the grid when it is first asked, or,
/// with `full`, the grid as it was published.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile, bool full = false);

/// The whole grid of the regression for every scheme, format and process count of the runs: C, γ and ε by 5-fold
/// cross-validation. Some seconds each. Empty without libsvm.
std::vector<RegressionChoice> search_regressions(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

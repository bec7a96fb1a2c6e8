#pragma once
// The paper's support-vector regression.

#include <memory>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

/// The paper's polynomial support-vector regression (section III-B). Without libsvm it forecasts nothing.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile);

}  // namespace sparsecast::cluster

#pragma once
// The features of a product over which a residual is learned: logarithms and shares, on scales where 1 is much.

#include <Eigen/Core>
#include <vector>

#include "formats/workload.hpp"

namespace sparsecast::forecast {
/// How many there are depends on `workload.exact` alone.
[[nodiscard]] Eigen::VectorXd residual_features(const formats::Workload& workload);
/// One row each; there is at least one workload.
[[nodiscard]] Eigen::MatrixXd features_of(const std::vector<formats::Workload>& workloads);
}  // namespace sparsecast::forecast

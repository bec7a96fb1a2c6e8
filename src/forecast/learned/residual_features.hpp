#pragma once
// The features over which the learned residual varies: logarithms and shares of a Workload, each divided by its natural
// scale, so that one length of the covariance means the same for all.

#include <Eigen/Core>

#include "forecast/physical/workload.hpp"

namespace sparsecast::forecast {
/// The number of features depends on `workload.exact` alone.
Eigen::VectorXd residual_features(const Workload& workload);
}  // namespace sparsecast::forecast

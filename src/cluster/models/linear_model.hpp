#pragma once
// The paper's linear model.

#include <memory>
#include <span>
#include <vector>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
// Least squares with coefficients that cannot be negative (times are sums of costs), in relative errors, drawn towards
// a prior where the data say little.

/// c ≥ 0 that minimises Σ_i ((Σ_j c_j·rows[i][j] − y_i) / y_i)² + pull · Σ_j ((c_j − prior_j)·s_j)², where s_j is the
/// mean share of term j in y. `prior` has one entry per term. Coordinate descent; deterministic. The prior without
/// rows.
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull);

/// The paper's linear model (section III-A), 2du only.
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

#pragma once
// Least squares with coefficients that cannot be negative (times are sums of costs), in relative errors, drawn towards
// a prior where the data say little.

#include <span>
#include <vector>

namespace sparsecast::cluster {
/// c ≥ 0 that minimises Σ_i ((Σ_j c_j·rows[i][j] − y_i) / y_i)² + pull · Σ_j ((c_j − prior_j)·s_j)² + stiffness² · Σ_j
/// (c_j / prior_j − 1)², where s_j is the mean share of term j in y: the last sum holds a term that no row knows much
/// of (only those with a prior). `prior` has one entry per term. Coordinate descent; deterministic. The prior without
/// rows.
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull, double stiffness = 0);
}  // namespace sparsecast::cluster

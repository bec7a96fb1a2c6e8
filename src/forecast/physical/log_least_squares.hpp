#pragma once
// Fits positive coefficients of a formula for a time, in logarithms: an error of 10 % counts the same at a microsecond
// and at a second, and a coefficient can never turn negative. Robust (soft L1), so that the few matrices which the
// formula does not understand do not bend it for all others, and held by a prior, so that a coefficient which the data
// do not determine stays near its physical value instead of anywhere.

#include <Eigen/Core>
#include <functional>

namespace sparsecast::forecast {
/// What is known of the parameters (natural logarithms) before any measurement.
struct LogPrior {
  Eigen::VectorXd centre;
  Eigen::VectorXd deviation;
  double weight = 1;  ///< the prior counts as much as so many observations at one deviation
};

/// Costs from their logarithms; bounded, so that a wild step of a search stays finite.
inline Eigen::VectorXd costs_of_logs(const Eigen::VectorXd& logs) {
  constexpr double most = 60;
  return logs.array().max(-most).min(most).exp();
}

/// Predicted log seconds of every observation for parameters p; must fill `log_seconds`.
using LogFormula = std::function<void(const Eigen::VectorXd& p, Eigen::VectorXd& log_seconds)>;

/// Levenberg–Marquardt (Marquardt 1963) with a numerical Jacobian on
/// Σ 2(√(1 + (r/scale)²) − 1) + weight · Σ ((p − centre)/deviation)², r = predicted − observed, from `start`.
Eigen::VectorXd fit_log_formula(const LogFormula& formula, const Eigen::VectorXd& log_seconds, const LogPrior& prior,
                                const Eigen::VectorXd& start, double scale);
}  // namespace sparsecast::forecast

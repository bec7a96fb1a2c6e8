#include "forecast/physical/log_least_squares.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
const double difference_step = constants::fit_step;  // of a logarithm
const double enough = constants::fit_step;           // relative gain of a step below which the search ends

double soft_l1(double squared) { return 2 * (std::sqrt(1 + squared) - 1); }

double cost_of(const Eigen::VectorXd& residuals, const Eigen::VectorXd& pull, double weight) {
  double cost = weight * pull.squaredNorm();
  for (const double r : residuals) cost += soft_l1(r * r);
  return cost;
}
}  // namespace

Eigen::VectorXd fit_log_formula(const LogFormula& formula, const Eigen::VectorXd& log_seconds, const LogPrior& prior,
                                const Eigen::VectorXd& start, double scale) {
  const Eigen::Index count = log_seconds.size(), unknowns = start.size();
  Eigen::VectorXd p = start, predicted(count), shifted(count);
  Eigen::MatrixXd jacobian(count, unknowns);
  const auto pull_of = [&](const Eigen::VectorXd& at) {
    return Eigen::VectorXd((at - prior.centre).cwiseQuotient(prior.deviation));
  };
  formula(p, predicted);
  Eigen::VectorXd residuals = (predicted - log_seconds) / scale;
  double cost = cost_of(residuals, pull_of(p), prior.weight);
  double damping = 100 * constants::fit_step;
  for (int step = 0; step < constants::count(constants::search_steps); ++step) {
    for (Eigen::Index j = 0; j < unknowns; ++j) {
      Eigen::VectorXd moved = p;
      moved[j] += difference_step;
      formula(moved, shifted);
      jacobian.col(j) = (shifted - predicted) / (difference_step * scale);
    }
    // Gauss–Newton with the weights of soft L1: ρ'(r²) = 1 / √(1 + r²).
    const Eigen::VectorXd weights = (1 + residuals.array().square()).sqrt().inverse();
    Eigen::MatrixXd normal = jacobian.transpose() * weights.asDiagonal() * jacobian;
    Eigen::VectorXd gradient = jacobian.transpose() * (weights.cwiseProduct(residuals));
    const Eigen::VectorXd precision = prior.weight * prior.deviation.array().square().inverse().matrix();
    normal.diagonal() += precision;
    gradient += precision.cwiseProduct(p - prior.centre);

    bool moved = false;
    double gained = 0;
    while (!moved && damping < 1e9) {
      Eigen::MatrixXd damped = normal;
      damped.diagonal() += damping * (normal.diagonal().array() + 1e-9).matrix();
      const Eigen::VectorXd next = p - damped.ldlt().solve(gradient);
      formula(next, shifted);
      const Eigen::VectorXd next_residuals = (shifted - log_seconds) / scale;
      const double next_cost = cost_of(next_residuals, pull_of(next), prior.weight);
      if (std::isfinite(next_cost) && next_cost < cost) {
        gained = (cost - next_cost) / cost;
        p = next;
        predicted = shifted;
        residuals = next_residuals;
        cost = next_cost;
        damping = std::max(damping / constants::damping_step, 1e-9);
        moved = true;
      } else {
        damping *= constants::damping_step;
      }
    }
    if (!moved || gained < enough) break;
  }
  return p;
}
}  // namespace sparsecast::forecast

#include "forecast/learned/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <cmath>
#include <limits>
#include <numbers>
#include <sparsecast/error.hpp>
#include <sparsecast_constants.hpp>
#include <utility>

#include "base/interrupt.hpp"

namespace sparsecast::forecast {
namespace {
Eigen::MatrixXd block(const Eigen::MatrixXd& matrix, const std::vector<int>& members) {
  return matrix(members, members);
}

std::vector<std::vector<int>> members_of(const std::vector<int>& groups) {
  std::vector<std::vector<int>> members;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const auto group = static_cast<std::size_t>(groups[i]);
    if (group >= members.size()) members.resize(group + 1);
    members[group].push_back(static_cast<int>(i));
  }
  return members;
}

// Mean of the counted |error| with families left out, for the search: only the diagonal blocks of K⁻¹ = L⁻ᵀL⁻¹ are
// made, a third of the work of the whole inverse. NaN where K is not positive definite in this arithmetic.
double mean_left_out_error(const Covariance& covariance, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<std::vector<int>>& members) {
  Eigen::MatrixXd k = covariance(x, x);
  k.diagonal().array() += covariance.noise * covariance.noise;
  const Eigen::LLT<Eigen::MatrixXd> factor(k);
  if (factor.info() != Eigen::Success) return std::numeric_limits<double>::quiet_NaN();
  Eigen::MatrixXd inverse_factor = Eigen::MatrixXd::Identity(k.rows(), k.cols());
  factor.matrixL().solveInPlace(inverse_factor);
  const Eigen::VectorXd weights = inverse_factor.transpose() * (inverse_factor * y);
  double sum = 0;
  for (const std::vector<int>& group : members) {
    if (group.empty()) continue;
    // Column j of L⁻¹ is zero above row j, and members stand in ascending order.
    const Eigen::Index first = group.front();
    const Eigen::MatrixXd columns = inverse_factor(Eigen::seq(first, Eigen::last), group);
    const Eigen::VectorXd within = weights(group);
    sum += (columns.transpose() * columns).ldlt().solve(within).array().abs().min(constants::most_counted_error).sum();
  }
  return sum / static_cast<double>(y.size());
}

std::vector<Eigen::VectorXd> lengths_of(const std::vector<ProcessWeights>& processes) {
  std::vector<Eigen::VectorXd> lengths;
  for (const ProcessWeights& process : processes) lengths.push_back(process.covariance.lengths);
  return lengths;
}
}  // namespace

Eigen::VectorXd Covariance::to_logs() const {
  Eigen::VectorXd logs(4 + lengths.size());
  logs << std::log(constant), std::log(linear), std::log(amplitude), std::log(noise), lengths.array().log().matrix();
  return logs;
}

Covariance Covariance::from_logs(const Eigen::VectorXd& logs) {
  return {std::exp(logs[0]), std::exp(logs[1]), std::exp(logs[2]), std::exp(logs[3]),
          logs.tail(logs.size() - 4).array().exp()};
}

Eigen::MatrixXd Covariance::operator()(const Eigen::MatrixXd& a, const Eigen::MatrixXd& b) const {
  const Eigen::MatrixXd scaled_a = a * lengths.cwiseInverse().asDiagonal();
  const Eigen::MatrixXd scaled_b = b * lengths.cwiseInverse().asDiagonal();
  Eigen::MatrixXd k = -2 * scaled_a * scaled_b.transpose();
  k.colwise() += scaled_a.rowwise().squaredNorm();
  k.rowwise() += scaled_b.rowwise().squaredNorm().transpose();
  const Eigen::ArrayXXd d = std::numbers::sqrt3 * k.array().max(0).sqrt();
  k = (amplitude * amplitude * (1 + d) * (-d).exp()).matrix();
  k.noalias() += linear * linear * a * b.transpose();
  k.array() += constant * constant;
  return k;
}

GaussianProcess::GaussianProcess(const Covariance& covariance, const Eigen::MatrixXd& x,
                                 const std::vector<int>& groups) {
  Eigen::MatrixXd k = covariance(x, x);
  k.diagonal().array() += covariance.noise * covariance.noise;
  const Eigen::LLT<Eigen::MatrixXd> factor(k);
  if (factor.info() != Eigen::Success)
    throw Error(ErrorCode::failed, "the covariance of the benchmark matrices is not positive definite");
  inverse_ = factor.solve(Eigen::MatrixXd::Identity(k.rows(), k.cols()));
  members_ = members_of(groups);
}

Eigen::VectorXd GaussianProcess::weights(const Eigen::VectorXd& y) const { return inverse_ * y; }

// With the inverse in blocks, g for the family and r for the rest: (K_rr)⁻¹ y_r = M_rr y_r − M_rg (M_gg)⁻¹ M_gr y_r,
// M = K⁻¹. With y zeroed in g, M y holds both M_rr y_r and M_gr y_r.
Eigen::VectorXd GaussianProcess::weights_without(int group, const Eigen::VectorXd& y) const {
  // A family may have no observation here.
  const auto at = static_cast<std::size_t>(group);
  const std::vector<int> members = at < members_.size() ? members_[at] : std::vector<int>();
  Eigen::VectorXd rest = y;
  for (const int member : members) rest[member] = 0;
  Eigen::VectorXd weights = inverse_ * rest;
  if (!members.empty()) {
    const Eigen::VectorXd within = weights(members);
    weights.noalias() -= inverse_(Eigen::all, members) * block(inverse_, members).ldlt().solve(within);
    for (const int member : members) weights[member] = 0;
  }
  return weights;
}

// y_g − (M_gg)⁻¹ (M y)_g (Rasmussen & Williams 2006, section 5.4.2, for blocks).
Eigen::VectorXd GaussianProcess::left_out_means(const Eigen::VectorXd& y) const {
  const Eigen::VectorXd weights = inverse_ * y;
  Eigen::VectorXd means = y;
  for (const std::vector<int>& members : members_) {
    if (members.empty()) continue;
    const Eigen::VectorXd within = weights(members);
    means(members) -= block(inverse_, members).ldlt().solve(within);
  }
  return means;
}

ProcessMeans::ProcessMeans(const Eigen::MatrixXd& x, std::vector<ProcessWeights> processes)
    : processes_(std::move(processes)),
      points_(x, lengths_of(processes_)),
      amplitudes_(x.rows(), static_cast<Eigen::Index>(processes_.size())),
      slope_(Eigen::VectorXd::Zero(x.cols())) {
  const auto count = static_cast<double>(processes_.size());
  for (std::size_t p = 0; p < processes_.size(); ++p) {
    const auto& [covariance, weights] = processes_[p];
    amplitudes_.col(static_cast<Eigen::Index>(p)) = covariance.amplitude * covariance.amplitude / count * weights;
    slope_ += covariance.linear * covariance.linear / count * (x.transpose() * weights);
    constant_ += covariance.constant * covariance.constant / count * weights.sum();
  }
}

double ProcessMeans::operator()(const Eigen::RowVectorXd& point, const Eigen::RowVectorXd& held) const {
  return constant_ + held.dot(slope_) + (amplitudes_.array() * points_.correlations(point)).sum();
}

Covariance tune_covariance(const Covariance& start, const Eigen::MatrixXd& x, const Eigen::VectorXd& y,
                           const std::vector<int>& groups) {
  const Eigen::VectorXd origin = start.to_logs();
  const std::vector<std::vector<int>> members = members_of(groups);
  const auto loss = [&](const Eigen::VectorXd& logs) {
    base::throw_if_interrupted();
    const double mean = mean_left_out_error(Covariance::from_logs(logs), x, y, members);
    if (!std::isfinite(mean)) return 1e3;
    return mean + constants::search_pull * (logs - origin).squaredNorm() / static_cast<double>(logs.size());
  };
  Eigen::VectorXd logs = origin, steps = Eigen::VectorXd::Constant(origin.size(), constants::search_step);
  double least = loss(logs);
  for (int round = 0; round < constants::count(constants::search_rounds); ++round) {
    for (Eigen::Index j = 0; j < logs.size(); ++j) {
      bool better = false;
      for (const double sign : {1.0, -1.0}) {
        Eigen::VectorXd moved = logs;
        moved[j] += sign * steps[j];
        const double value = loss(moved);
        if (value >= least - constants::search_gain) continue;
        logs = moved;
        least = value;
        better = true;
        break;
      }
      steps[j] *= better ? constants::search_growth : constants::search_shrink;
    }
  }
  return Covariance::from_logs(logs);
}
}  // namespace sparsecast::forecast

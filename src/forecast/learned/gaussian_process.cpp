#include "forecast/learned/gaussian_process.hpp"

#include <Eigen/Cholesky>
#include <bit>
#include <cmath>
#include <limits>
#include <numbers>
#include <sparsecast/error.hpp>
#include <utility>

#include "base/interrupt.hpp"
#include "formats/simd/simd.hpp"

namespace sparsecast::forecast {
namespace {
constexpr Eigen::Index block_points = 32;  // whose sums stay in registers
constexpr int most_together = 5;           // covariances in one pass over the points: as many as processes

// exp(−x) for x ≥ 0 in operations that every lane of a vector can do: 2ⁿ times e^r, |r| ≤ ln 2 / 2, whose series is
// exact to the last place of a float after the seventh power.
SPARSECAST_INLINE float exp_of_minus(float x) {
  constexpr float to_integer = 1.5F * (1 << 23);  // what is added to it loses its fraction
  constexpr float high = 355.F / 512;             // ln 2 in two parts (Cody & Waite): products with n are exact
  constexpr float low = static_cast<float>(std::numbers::ln2 - 355. / 512);
  constexpr float inverse_factorials[] = {1.F / 720, 1.F / 120, 1.F / 24, 1.F / 6, 1.F / 2, 1, 1};
  x = -(x < 80 ? x : 80);
  const float n = (x * std::numbers::log2e_v<float> + to_integer) - to_integer;
  const float r = x - n * high - n * low;
  float p = 1.F / 5040;
  for (const float c : inverse_factorials) p = p * r + c;
  return p * std::bit_cast<float>((static_cast<std::int32_t>(n) + 127) << 23);
}

struct Pass {
  const float* x;  // points × features
  Eigen::Index stride, features;
  const float* point;
  const float* weights;  // features × covariances
  float* out;            // points × covariances
};

template <int covariances>
SPARSECAST_INLINE void pass_over(const Pass& pass) {
  for (Eigen::Index first = 0; first < pass.stride; first += block_points) {
    float sums[covariances][block_points] = {};
    for (Eigen::Index j = 0; j < pass.features; ++j) {
      const float* x = pass.x + j * pass.stride + first;
      const float at = pass.point[j];
      float squares[block_points];
#pragma omp simd
      for (Eigen::Index i = 0; i < block_points; ++i) squares[i] = (x[i] - at) * (x[i] - at);
      for (int c = 0; c < covariances; ++c) {
        const float weight = pass.weights[c * pass.features + j];
#pragma omp simd
        for (Eigen::Index i = 0; i < block_points; ++i) sums[c][i] += weight * squares[i];
      }
    }
    for (int c = 0; c < covariances; ++c) {
      float* out = pass.out + c * pass.stride + first;
#pragma omp simd
      for (Eigen::Index i = 0; i < block_points; ++i) {
        const float d = __builtin_sqrtf(sums[c][i]);
        out[i] = (1 + d) * exp_of_minus(d);
      }
    }
  }
}

template <int covariances>
void pass_portable(const Pass& pass) {
  pass_over<covariances>(pass);
}
#if SPARSECAST_X86
template <int covariances>
SPARSECAST_AVX2 void pass_avx2(const Pass& pass) {
  pass_over<covariances>(pass);
}
template <int covariances>
SPARSECAST_AVX512 void pass_avx512(const Pass& pass) {
  pass_over<covariances>(pass);
}
#endif

template <int covariances>
void run(const Pass& pass) {
#if SPARSECAST_X86
  static const auto best = [] {
    switch (formats::best_simd()) {
      case formats::Simd::avx512: return pass_avx512<covariances>;
      case formats::Simd::avx2: return pass_avx2<covariances>;
      case formats::Simd::portable: break;
    }
    return pass_portable<covariances>;
  }();
  best(pass);
#else
  pass_portable<covariances>(pass);
#endif
}

constexpr int search_rounds = 4;
const auto& [first_step, growth, least_gain] = constants::length_search;  // of logarithms: doubles or halves
constexpr double indifference = 1e-3;                                     // pull to the start, per squared logarithm

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

// Mean of min(|error|, 1) with families left out, for the search: only the diagonal blocks of K⁻¹ = L⁻ᵀL⁻¹ are made, a
// third of the work of the whole inverse. NaN where K is not positive definite in this arithmetic.
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
    sum += (columns.transpose() * columns).ldlt().solve(within).array().abs().min(1.0).sum();
  }
  return sum / static_cast<double>(y.size());
}

std::vector<Eigen::VectorXd> lengths_of(const std::vector<ProcessWeights>& processes) {
  std::vector<Eigen::VectorXd> lengths;
  for (const ProcessWeights& process : processes) lengths.push_back(process.covariance.lengths);
  return lengths;
}
}  // namespace

SharedPoints::SharedPoints(const Eigen::MatrixXd& x, const std::vector<Eigen::VectorXd>& lengths)
    : points_(x.rows()),
      x_(Eigen::MatrixXf::Zero((x.rows() + block_points - 1) / block_points * block_points, x.cols())),
      weights_(x.cols(), static_cast<Eigen::Index>(lengths.size())) {
  x_.topRows(points_) = x.cast<float>();
  for (std::size_t c = 0; c < lengths.size(); ++c)
    weights_.col(static_cast<Eigen::Index>(c)) = (3 / lengths[c].array().square()).cast<float>();
  if (points_ == 0) return;
  low_ = x.colwise().minCoeff();
  high_ = x.colwise().maxCoeff();
}

Eigen::ArrayXXd SharedPoints::correlations(const Eigen::RowVectorXd& point) const {
  const Eigen::RowVectorXf at = point.cast<float>();
  Eigen::MatrixXf all(x_.rows(), weights_.cols());
  Eigen::Index c = 0;
  const auto pass = [&] {
    return Pass{x_.data(), x_.rows(), x_.cols(), at.data(), weights_.col(c).data(), all.col(c).data()};
  };
  for (; c + most_together <= weights_.cols(); c += most_together) run<most_together>(pass());
  for (; c < weights_.cols(); ++c) run<1>(pass());
  return all.topRows(points_).array().cast<double>();
}

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
  rest(members).setZero();
  Eigen::VectorXd weights = inverse_ * rest;
  if (!members.empty()) {
    const Eigen::VectorXd within = weights(members);
    weights.noalias() -= inverse_(Eigen::all, members) * block(inverse_, members).ldlt().solve(within);
    weights(members).setZero();
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
    return mean + indifference * (logs - origin).squaredNorm() / static_cast<double>(logs.size());
  };
  Eigen::VectorXd logs = origin, steps = Eigen::VectorXd::Constant(origin.size(), first_step);
  double least = loss(logs);
  for (int round = 0; round < search_rounds; ++round) {
    for (Eigen::Index j = 0; j < logs.size(); ++j) {
      bool better = false;
      for (const double sign : {1.0, -1.0}) {
        Eigen::VectorXd moved = logs;
        moved[j] += sign * steps[j];
        const double value = loss(moved);
        if (value >= least - least_gain) continue;
        logs = moved;
        least = value;
        better = true;
        break;
      }
      steps[j] *= better ? growth : 0.5;
    }
  }
  return Covariance::from_logs(logs);
}
}  // namespace sparsecast::forecast

#include "gpu_code/space/surrogate.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::gpu_code {
namespace {
/// Share of a value's variance that its neighbours cannot tell.
constexpr double nugget = 1e-3;
constexpr std::array length_choices{0.15, 0.3, 0.6, 1.2, 2.5, 5.0, 10.0};
}  // namespace

double Surrogate::covariance(std::span<const double> a, std::span<const double> b,
                             const std::vector<double>& lengths) const {
  double r2 = 0;
  for (std::size_t d = 0; d < a.size(); ++d) {
    const double difference = (a[d] - b[d]) / lengths[d];
    r2 += difference * difference;
  }
  const double r = std::sqrt(5 * r2);
  return (1 + r + r * r / 3) * std::exp(-r);
}

Surrogate::Fitted Surrogate::factored(const std::vector<double>& lengths) const {
  const auto n = static_cast<Eigen::Index>(points_.size());
  Eigen::MatrixXd covariances(n, n);
  for (Eigen::Index i = 0; i < n; ++i)
    for (Eigen::Index j = 0; j <= i; ++j)
      covariances(i, j) =
          covariance(points_[static_cast<std::size_t>(i)], points_[static_cast<std::size_t>(j)], lengths) +
          (i == j ? nugget : 0.0);
  Fitted f;
  f.factor.compute(covariances);
  f.positive = f.factor.info() == Eigen::Success;
  if (!f.positive) return f;
  f.weights = f.factor.solve(centred_);
  const double count = static_cast<double>(n);
  f.scale2 = std::max(centred_.dot(f.weights) / count, 1e-12);
  const double log_determinant = 2 * f.factor.matrixLLT().diagonal().array().log().sum();
  f.likelihood = -0.5 * (count * std::log(f.scale2) + log_determinant);
  return f;
}

void Surrogate::find_lengths() {
  auto best = factored(lengths_);
  for (int sweep = 0; sweep < 2; ++sweep)
    for (auto& length : lengths_) {
      const double before = length;
      double chosen = before;
      const auto at = std::ranges::find(length_choices, before) - length_choices.begin();
      for (const auto step : {-1, 1}) {
        const auto other = at + step;
        if (other < 0 || other >= static_cast<std::ptrdiff_t>(length_choices.size())) continue;
        length = length_choices[static_cast<std::size_t>(other)];
        auto tried = factored(lengths_);
        if (!tried.positive || (best.positive && tried.likelihood <= best.likelihood)) continue;
        best = std::move(tried);
        chosen = length;
      }
      length = chosen;
    }
  fitted_ = std::move(best);
}

void Surrogate::fit(std::vector<std::vector<double>> points, const std::vector<double>& values) {
  points_ = std::move(points);
  if (points_.empty()) return;
  const Eigen::Map<const Eigen::VectorXd> all(values.data(), static_cast<Eigen::Index>(values.size()));
  mean_ = all.mean();
  centred_ = all.array() - mean_;
  if (lengths_.size() != points_[0].size()) {
    lengths_.assign(points_[0].size(), 1.2);
    lengths_found_at_ = 0;
  }
  if (points_.size() * 5 >= lengths_found_at_ * 6) {
    lengths_found_at_ = points_.size();
    find_lengths();
  } else {
    fitted_ = factored(lengths_);
  }
}

Surrogate::Prediction Surrogate::predict(std::span<const double> point) const {
  if (!fitted_.positive) return {mean_, 1};
  Eigen::VectorXd k(fitted_.weights.size());
  for (Eigen::Index i = 0; i < k.size(); ++i) k[i] = covariance(points_[static_cast<std::size_t>(i)], point, lengths_);
  const double mean = mean_ + k.dot(fitted_.weights), explained = fitted_.factor.matrixL().solve(k).squaredNorm();
  return {mean, std::sqrt(fitted_.scale2 * std::max(1 + nugget - explained, 1e-9))};
}
}  // namespace sparsecast::gpu_code

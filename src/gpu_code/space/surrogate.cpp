// See surrogate.hpp.

#include "gpu_code/space/surrogate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

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
  const std::size_t n = points_.size();
  Fitted f;
  f.factor.assign(n * n, 0);
  auto& l = f.factor;
  double log_determinant = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j <= i; ++j) {
      double sum = covariance(points_[i], points_[j], lengths) + (i == j ? nugget : 0.0);
      for (std::size_t k = 0; k < j; ++k) sum -= l[i * n + k] * l[j * n + k];
      if (i != j) {
        l[i * n + j] = sum / l[j * n + j];
        continue;
      }
      if (!(sum > 0)) return f;
      l[i * n + i] = std::sqrt(sum);
      log_determinant += std::log(sum);
    }
  // Forward, then back.
  f.weights = centred_;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t k = 0; k < i; ++k) f.weights[i] -= l[i * n + k] * f.weights[k];
    f.weights[i] /= l[i * n + i];
  }
  const double fit = std::inner_product(f.weights.begin(), f.weights.end(), f.weights.begin(), 0.0);
  for (std::size_t i = n; i-- > 0;) {
    for (std::size_t k = i + 1; k < n; ++k) f.weights[i] -= l[k * n + i] * f.weights[k];
    f.weights[i] /= l[i * n + i];
  }
  f.scale2 = std::max(fit / static_cast<double>(n), 1e-12);
  f.likelihood = -0.5 * (static_cast<double>(n) * std::log(f.scale2) + log_determinant);
  f.positive = true;
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
  mean_ = std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
  centred_.clear();
  for (const double v : values) centred_.push_back(v - mean_);
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
  const std::size_t n = points_.size();
  std::vector<double> k(n);
  double mean = mean_;
  for (std::size_t i = 0; i < n; ++i) {
    k[i] = covariance(points_[i], point, lengths_);
    mean += k[i] * fitted_.weights[i];
  }
  double explained = 0;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < i; ++j) k[i] -= fitted_.factor[i * n + j] * k[j];
    k[i] /= fitted_.factor[i * n + i];
    explained += k[i] * k[i];
  }
  return {mean, std::sqrt(fitted_.scale2 * std::max(1 + nugget - explained, 1e-9))};
}

}  // namespace sparsecast::gpu_code

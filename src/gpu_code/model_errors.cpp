#include "gpu_code/model_errors.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <span>

#include "base/median.hpp"

namespace sparsecast::gpu_code {
double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto ranks = [](const std::vector<double>& v) {
    std::vector<std::size_t> order(v.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](auto i, auto j) { return v[i] < v[j]; });
    std::vector<double> rank(v.size());
    for (std::size_t i = 0; i < order.size();) {
      std::size_t j = i;
      while (j < order.size() && v[order[j]] == v[order[i]]) ++j;
      for (std::size_t k = i; k < j; ++k) rank[order[k]] = 0.5 * static_cast<double>(i + j - 1);
      i = j;
    }
    return rank;
  };
  const auto x = ranks(a), y = ranks(b);
  const double mean = 0.5 * (static_cast<double>(x.size()) - 1);
  double xy = 0, xx = 0, yy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xy += (x[i] - mean) * (y[i] - mean);
    xx += (x[i] - mean) * (x[i] - mean);
    yy += (y[i] - mean) * (y[i] - mean);
  }
  return xx > 0 && yy > 0 ? xy / std::sqrt(xx * yy) : 0;
}

ModelErrors summarize(const std::string& model, const std::vector<double>& forecast,
                      const std::vector<double>& measured) {
  ModelErrors s;
  s.model = model;
  s.cases = static_cast<std::int64_t>(forecast.size());
  if (forecast.empty()) return s;
  std::vector<double> errors;
  for (std::size_t i = 0; i < forecast.size(); ++i)
    errors.push_back(std::fabs(forecast[i] - measured[i]) / measured[i]);
  std::sort(errors.begin(), errors.end());
  s.mean_error = std::accumulate(errors.begin(), errors.end(), 0.0) / static_cast<double>(errors.size());
  const auto quantile = [&](double q) {
    return errors[static_cast<std::size_t>(std::lround(q * static_cast<double>(errors.size() - 1)))];
  };
  s.median_error = quantile(0.5);
  s.p90_error = quantile(0.9);
  s.max_error = errors.back();
  s.rank_correlation = rank_correlation(forecast, measured);
  std::vector<std::size_t> order(forecast.size());
  std::iota(order.begin(), order.end(), 0u);
  std::stable_sort(order.begin(), order.end(), [&](auto i, auto j) { return forecast[i] < forecast[j]; });
  const double best = *std::min_element(measured.begin(), measured.end());
  s.top1_regret = measured[order[0]] / best - 1;
  double of_five = measured[order[0]];
  for (const auto i : std::span(order).first(std::min<std::size_t>(5, order.size())))
    of_five = std::min(of_five, measured[i]);
  s.top5_regret = of_five / best - 1;
  return s;
}
}  // namespace sparsecast::gpu_code

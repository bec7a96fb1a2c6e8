#include "calibration/neighbours.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ctime>

namespace sparsecast::calibration {
namespace {
// Of the features (observations.cpp): patterns so far apart count half as much as the same one.
constexpr double half_distance = 0.2;
// What is less alike says nothing.
constexpr double least_weight = 0.05;
// Days in which an observation loses half of its weight.
constexpr double half_life = 45;
// Of log(seconds / forecast): what the machine and the hour add to one product.
constexpr double noise = 0.03;

double squared_distance(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < std::min(a.size(), b.size()); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return sum;
}
}  // namespace

double days_since(const std::string& taken) {
  std::tm date{};
  if (strptime(taken.c_str(), "%Y-%m-%dT%H:%M:%SZ", &date) == nullptr) return 0;
  return std::abs(std::difftime(std::time(nullptr), timegm(&date))) / 86400;
}

std::string days_ago(double days) {
  if (days < 1) return "today";
  return days < 2 ? "yesterday" : fmt::format("{:.0f} days ago", days);
}

Neighbours::Neighbours(const std::vector<double>& features, const std::vector<Observation>& around) {
  for (const Observation& one : around) {
    const double days = days_since(one.taken);
    const double weight = std::exp2(-squared_distance(features, one.features) / (half_distance * half_distance)) *
                          std::exp2(-days / half_life);
    if (weight < least_weight || one.features.size() != features.size()) continue;
    auto pattern = std::ranges::find(patterns_, one.pattern, &Pattern::sum);
    if (pattern == patterns_.end()) pattern = patterns_.insert(pattern, {one.pattern, one.matrix, weight, days});
    seen_.push_back({one.kernel, static_cast<std::size_t>(pattern - patterns_.begin()),
                     std::log(one.seconds / one.forecast_s), weight});
  }
}

// The mean of what near ones missed by, drawn to 0 as a forecast's own deviation and their scatter weigh.
ForecastError Neighbours::error_of(const std::string& kernel, double deviation) const {
  double weights = 0, sum = 0, squares = 0;
  for (const Seen& one : seen_)
    if (one.kernel == kernel) {
      weights += one.weight;
      sum += one.weight * one.log_error;
      squares += one.weight * one.log_error * one.log_error;
    }
  if (weights == 0) return {0, deviation, 0};
  const double mean = sum / weights, scatter = std::max(0.0, squares / weights - mean * mean);
  const double variance = (scatter + noise * noise) / weights, prior = deviation * deviation;
  return {mean * prior / (prior + variance), std::sqrt(prior * variance / (prior + variance) + scatter), weights};
}

std::string Neighbours::text() const {
  if (patterns_.empty()) return {};
  std::vector<const Pattern*> order;
  for (const Pattern& one : patterns_) order.push_back(&one);
  std::ranges::stable_sort(order, {}, [](const Pattern* one) { return -one->weight; });
  constexpr std::size_t most = 3;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < std::min(most, order.size()); ++k) names.push_back(order[k]->matrix);
  if (order.size() > most) names.emplace_back("…");
  const double newest = (*std::ranges::min_element(order, {}, [](const Pattern* one) { return one->days; }))->days;
  return fmt::format("{} alike pattern{} ({}), measured here, the newest {}", order.size(), order.size() == 1 ? "" : "s",
                     fmt::join(names, ", "), days_ago(newest));
}
}  // namespace sparsecast::calibration

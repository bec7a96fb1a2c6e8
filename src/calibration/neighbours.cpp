#include "calibration/neighbours.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <ctime>
#include <set>

namespace sparsecast::calibration {
namespace {
// Of the features (features_of()): patterns so far apart count half as much as the same one.
constexpr double half_distance = 0.2;
// What is less alike says nothing.
constexpr double least_weight = 0.05;
// Days in which an observation loses half of its weight.
constexpr double half_life = 45;
// Of log(seconds / forecast): what the machine and the hour add to one product.
constexpr double noise = 0.03;

double weight_of(const std::vector<double>& a, const std::vector<double>& b, double days) {
  if (a.size() != b.size()) return 0;
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::exp2(-sum / (half_distance * half_distance) - days / half_life);
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
    const double days = days_since(one.taken), weight = weight_of(features, one.features, days);
    if (weight >= least_weight)
      seen_.push_back({one.kernel, one.pattern, one.matrix, std::log(one.seconds / one.forecast_s), weight, days});
  }
  std::ranges::stable_sort(seen_, {}, [](const Seen& one) { return -one.weight; });
}

// The mean of what near ones missed by, drawn to 0 as a forecast's own deviation and their scatter weigh.
std::optional<ForecastError> Neighbours::error_of(const std::string& kernel, double deviation) const {
  double weights = 0, sum = 0, squares = 0;
  for (const Seen& one : seen_)
    if (one.kernel == kernel) {
      weights += one.weight;
      sum += one.weight * one.log_error;
      squares += one.weight * one.log_error * one.log_error;
    }
  if (weights == 0) return std::nullopt;
  const double mean = sum / weights, scatter = std::max(0.0, squares / weights - mean * mean);
  const double variance = (scatter + noise * noise) / weights, prior = deviation * deviation;
  return ForecastError{mean * prior / (prior + variance), std::sqrt(prior * variance / (prior + variance) + scatter)};
}

std::string Neighbours::text() const {
  if (empty()) return {};
  constexpr std::size_t most = 3;
  std::set<std::string> patterns;
  std::vector<std::string> names;
  for (const Seen& one : seen_)
    if (patterns.insert(one.pattern).second && names.size() <= most)
      names.push_back(names.size() < most ? one.matrix : "…");
  const auto [newest, oldest] = std::ranges::minmax(seen_, {}, &Seen::days);
  const std::string since = days_ago(newest.days), until = days_ago(oldest.days);
  return fmt::format("{} similar pattern{} ({}), measured here {}", patterns.size(), patterns.size() == 1 ? "" : "s",
                     fmt::join(names, ", "), since == until ? since : since + " to " + until);
}
}  // namespace sparsecast::calibration

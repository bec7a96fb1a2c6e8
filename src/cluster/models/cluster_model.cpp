#include "cluster/models/cluster_model.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numbers>
#include <set>
#include <sparsecast_constants.hpp>
#include <string_view>

namespace sparsecast::cluster {
ClusterForecast ClusterModel::forecast_of(const SchemeFeatures& features, LocalFormat format, double seconds,
                                          bool extrapolated) const {
  return {features.scheme, format, name(), features.processes, nodes_for(features.processes, cores_per_node_),
          seconds,         0,      0,      extrapolated};
}

int nearest_count(const std::vector<int>& counts, int processes) {
  const auto distance = [&](int count) { return std::abs(std::log(static_cast<double>(count) / processes)); };
  std::vector<int> alike;
  std::ranges::copy_if(counts, std::back_inserter(alike), [&](int count) { return count > 1 || processes == 1; });
  return alike.empty() ? 0 : *std::ranges::min_element(alike, {}, distance);
}

std::vector<int> trained_counts(const ClusterProfile& profile) {
  std::set<int> counts;
  for (const TrainingRun& run : profile.runs) counts.insert(run.features.processes);
  return {counts.begin(), counts.end()};
}

std::vector<int> calibrated_counts(const ClusterProfile& profile) {
  if (!profile.runs.empty()) return trained_counts(profile);
  std::set<int> counts;
  for (const MessageTime& m : profile.messages) counts.insert(m.processes);
  return {counts.begin(), counts.end()};
}

std::vector<LeftOutError> errors_of(const ClusterModel& model, const std::vector<TrainingRun>& runs, Scheme scheme,
                                    LocalFormat format, int processes) {
  std::vector<LeftOutError> errors;
  for (const TrainingRun& run : runs) {
    const SchemeFeatures& f = run.features;
    if (run.random || f.scheme != scheme || run.format != format || f.processes != processes) continue;
    if (const auto forecast = model.forecast(f, format); forecast && forecast->seconds > 0)
      errors.push_back({run.matrix, std::log(run.seconds / forecast->seconds)});
  }
  return errors;
}

namespace {
// The distance that nine of ten errors stay within, of which there are some. Of few errors the largest and a half more
// is taken; of next to none Student's, since a single error may be small by chance.
double nine_tenths(const std::vector<LeftOutError>& left_out) {
  std::vector<double> errors;
  double squares = 0;
  for (const LeftOutError& one : left_out) {
    errors.push_back(std::abs(one.error));
    squares += one.error * one.error;
  }
  std::ranges::sort(errors);
  const auto place =
      static_cast<std::size_t>(std::ceil(constants::interval_share * static_cast<double>(errors.size() + 1)));
  double width = place <= errors.size() ? errors[place - 1] : 1.5 * errors.back();
  if (errors.size() <= std::size(constants::student))
    width = std::max(width,
                     constants::student[errors.size() - 1] * std::sqrt(squares / static_cast<double>(errors.size())));
  return std::max(constants::residual_noise, width);
}

std::size_t matrices_of(const std::vector<LeftOutError>& errors) {
  std::set<std::string_view> names;
  for (const LeftOutError& one : errors) names.insert(one.matrix);
  return names.size();
}
}  // namespace

void set_interval(ClusterForecast& forecast, const ClusterModel& model, const std::vector<int>& counts,
                  double shortest_s) {
  std::vector<int> usable;
  std::ranges::copy_if(counts, std::back_inserter(usable),
                       [&](int count) { return admissible(forecast.scheme, count); });
  const int nearest = nearest_count(usable, forecast.processes);
  std::vector<LeftOutError> errors;
  for (const LocalFormat format : all_formats()) {
    const std::vector<LeftOutError> some = model.left_out_errors(forecast.scheme, format, nearest);
    errors.insert(errors.end(), some.begin(), some.end());
  }
  const double away = nearest > 0 ? std::abs(std::log2(static_cast<double>(forecast.processes) / nearest)) : 1;
  // A factor e where nothing was left out, which says nothing of how errors grow with the count. They grow by a factor
  // of two a doubling at most: with twice as many processes a time is halved at best, and hardly more than doubled.
  constexpr double unknown = 1, most_doubling = std::numbers::ln2;
  constexpr std::size_t fewest_matrices = 3;
  const double known = errors.empty() ? 0 : nine_tenths(errors);
  const double width = (matrices_of(errors) < fewest_matrices ? std::max(unknown, known) : known) +
                       away * std::clamp(known / 2, constants::count_doubling, most_doubling);
  const double shorter = shortest_s > forecast.seconds ? std::log(shortest_s / forecast.seconds) / 2 : 0;
  forecast.low_s = forecast.seconds * std::exp(-width - shorter);
  forecast.high_s = forecast.seconds * std::exp(width);
}
}  // namespace sparsecast::cluster

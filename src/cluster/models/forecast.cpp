#include "cluster/models/forecast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <sparsecast/error.hpp>

namespace sparsecast::cluster {

std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile, const std::string& which) {
  using Make = std::unique_ptr<ClusterModel> (*)(const ClusterProfile&);
  static constexpr std::pair<const char*, Make> table[] = {
      {"sparsecast", sparsecast_model}, {"microbench", microbench_model}, {"svr", svr_model}, {"linear", linear_model}};
  std::vector<std::unique_ptr<ClusterModel>> models;
  for (const auto& [name, make] : table)
    if (which == "all" || which == name) models.push_back(make(profile));
  if (models.empty())
    throw Error(ErrorCode::usage, fmt::format("no cluster model is called '{}'", which), {},
                "take sparsecast, microbench, svr, linear or all");
  return models;
}

int nearest_count(const std::vector<int>& counts, int processes) {
  int nearest = 0;
  double distance = INFINITY;
  for (const int count : counts)
    if (const double d = std::abs(std::log(static_cast<double>(count) / processes)); d < distance) {
      distance = d;
      nearest = count;
    }
  return nearest;
}

std::vector<int> trained_counts(const ClusterProfile& profile) {
  std::set<int> counts;
  for (const TrainingRun& run : profile.runs) counts.insert(run.features.processes);
  return {counts.begin(), counts.end()};
}

}  // namespace sparsecast::cluster

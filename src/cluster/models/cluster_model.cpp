#include "cluster/models/cluster_model.hpp"

#include <cmath>
#include <set>

namespace sparsecast::cluster {

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

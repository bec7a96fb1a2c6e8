#pragma once
// What the models say of a matrix in every scheme, format and number of processes.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/features/rank_parts.hpp"

namespace sparsecast::cluster {
struct PredictOptions {
  std::vector<int> processes;
  std::vector<Scheme> schemes{all_schemes().begin(), all_schemes().end()};
  std::vector<LocalFormat> formats{all_formats().begin(), all_formats().end()};
  std::string model = "all";  ///< or one of cluster_models()
  bool full = false;          ///< svr searches its whole grid where the profile holds no parameters
  std::uint64_t seed = 1;
  Precision precision = Precision::double_;  ///< of values, vectors and messages
  /// Of the cores of two processes, where the profile met two states (CacheStates): the hand-over of the one whose
  /// times are asked for, and whether it was told, so that intervals are of it alone. 0: the first.
  double handover_s = 0;
  bool state_told = false;
  base::ProgressFunction progress;
};

/// Calls visit for every process count and every scheme that it admits. Returns what is missing, as in Prediction.
/// Error usage where the matrix is not square.
using CaseVisit = std::function<void(const SchemeFeatures&, const Placement&)>;
std::string for_each_case(const Matrix& matrix, const PredictOptions& options, const CacheShare& caches,
                          int cores_per_node, const CaseVisit& visit);

/// All forecasts, by process count, then scheme, format and model. Schemes that a process count does not admit are left
/// out. Without a partitioner g1dr and l1dr are left out on more than one process, and `missing` says so.
struct Prediction {
  std::vector<ClusterForecast> forecasts;
  std::string missing;  ///< one line, empty where nothing is missing
};
/// With the interval of every forecast.
Prediction predict_cluster(const Matrix& matrix, const ClusterProfile& profile, const PredictOptions& options);
}  // namespace sparsecast::cluster

#pragma once
// Forecasts of one iteration on a cluster: the models by name, and what they say of a matrix in every scheme, format
// and number of processes.

#include "base/progress.hpp"
#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {
/// By name or all of them ("all"), best first: sparsecast, microbench, svr, linear. Error usage for an unknown name.
std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile,
                                                          const std::string& which = "all");

struct PredictOptions {
  std::vector<int> processes;
  std::vector<Scheme> schemes{all_schemes().begin(), all_schemes().end()};
  std::vector<LocalFormat> formats{all_formats().begin(), all_formats().end()};
  std::string model = "all";  ///< or one of cluster_models()
  std::uint64_t seed = 1;
  Precision precision = Precision::double_;  ///< of values, vectors and messages
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

// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

struct ClusterChoice {
  ClusterForecast recommended;  ///< the smallest P within 10 % of the fastest, in its fastest scheme and format
  ClusterForecast fastest;
  std::string reason;
  std::vector<ScalingPoint> scaling;
  ScalingEnd end;
};
/// From the forecasts of one model (the first in `forecasts` that has any). Error failed for none at all.
ClusterChoice choose(const std::vector<ClusterForecast>& forecasts);

/// Of the forecasts of one model, the best scheme and format of every count, by count.
std::vector<ClusterForecast> best_by_count(const std::vector<ClusterForecast>& forecasts);
/// The model that choose() takes: of the forecasts given, those of the first model that has any.
std::vector<ClusterForecast> of_first_model(const std::vector<ClusterForecast>& forecasts);

/// The fewest nodes, then processes, on which so many iterations are done in time; nullopt where no count does it.
std::optional<ClusterForecast> done_within(const std::vector<ClusterForecast>& forecasts, double seconds,
                                           double iterations);
/// Hours that a job pays for: nodes × time.
double node_hours(const ClusterForecast& forecast, double iterations);

/// Time against P in characters, one letter per scheme, both axes logarithmic.
std::string scaling_picture(const std::vector<ScalingPoint>& scaling, int height = 14);
}  // namespace sparsecast::cluster

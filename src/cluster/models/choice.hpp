#pragma once
// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

#include <filesystem>
#include <functional>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "cluster/models/forecast.hpp"

namespace sparsecast::cluster {

struct PredictOptions {
  std::vector<int> processes;
  std::vector<Scheme> schemes{all_schemes().begin(), all_schemes().end()};
  std::vector<LocalFormat> formats{all_formats().begin(), all_formats().end()};
  std::string model = "all";  ///< or one of cluster_models()
  std::uint64_t seed = 1;
  base::ProgressFunction progress;
};

/// All forecasts, by process count, then scheme, format and model. Schemes that a process count does not admit are left
/// out. Without a partitioner g1dr and l1dr are left out on more than one process, and `missing` says so.
struct Prediction {
  std::vector<ClusterForecast> forecasts;
  std::string missing;  ///< one line, empty where nothing is missing
};
Prediction predict_cluster(const Matrix& matrix, const ClusterProfile& profile, const PredictOptions& options);

/// One point of the picture: the best format of a scheme on so many processes.
struct ScalingPoint {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
  int processes = 1;
  double seconds = 0;
  double efficiency =
      0;  ///< seconds of the fastest forecast on the fewest processes · that count / (seconds · processes)
};

struct ClusterChoice {
  ClusterForecast recommended;  ///< the smallest P within 10 % of the fastest, in its fastest scheme and format
  ClusterForecast fastest;
  std::string reason;
  std::vector<ScalingPoint> scaling;
};
/// From the forecasts of one model (the first in `forecasts` that has any). Error failed for none at all.
ClusterChoice choose(const std::vector<ClusterForecast>& forecasts);

/// Time against P in characters, one letter per scheme, both axes logarithmic.
std::string scaling_picture(const std::vector<ScalingPoint>& scaling);

}  // namespace sparsecast::cluster

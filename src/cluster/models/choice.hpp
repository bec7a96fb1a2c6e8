#pragma once
// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

#include <optional>
#include <string>
#include <vector>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

/// One point of the picture: the best format of a scheme on so many processes.
struct ScalingPoint {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
  int processes = 1;
  double seconds = 0;
  /// Seconds of the fastest forecast on the fewest processes · that count / (seconds · processes).
  double efficiency = 0;
  int nodes = 1;
};

/// Where more processes stop to help, and why.
struct ScalingEnd {
  int processes = 1, nodes = 1;
  bool seen = false;   ///< false: of the counts asked for the largest is still more than 10 % faster than any other
  std::string reason;  ///< "messages", "latency", "products"; empty where the model has no parts or no end was seen
  std::string text;    ///< a sentence
};

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

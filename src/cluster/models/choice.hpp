#pragma once
// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

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

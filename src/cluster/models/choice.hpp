#pragma once
// From forecasts to a decision: the scheme, the format and the number of processes; time and efficiency against P.

#include <optional>
#include <sparsecast/cluster_forecast.hpp>
#include <string>
#include <vector>

namespace sparsecast::cluster {
// A count of processes that was not calibrated is not advised: its forecast is an extrapolation, which is believed only
// where nothing else was asked for.
struct ClusterChoice {
  ClusterForecast recommended;  ///< the smallest P within 10 % of the fastest, in its fastest scheme and format
  ClusterForecast fastest;      ///< of those that are believed
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

/// Those that are not extrapolated; all where all are.
std::vector<ClusterForecast> believed(const std::vector<ClusterForecast>& forecasts);

/// Of those that are believed: the fewest nodes, then processes, on which so many iterations are done in time; nullopt
/// where no count does it.
std::optional<ClusterForecast> done_within(const std::vector<ClusterForecast>& forecasts, double seconds,
                                           double iterations);
/// Hours that a job pays for: nodes × time.
double node_hours(const ClusterForecast& forecast, double iterations);
}  // namespace sparsecast::cluster

#pragma once
// What every cluster model answers: one iteration in one scheme and format on so many processes. The models stand in
// files of their own; forecast.hpp lists them.

#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {

struct ClusterForecast {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
  std::string model;
  int processes = 1, nodes = 1;
  double seconds = 0;
  double core_s = 0, communication_s = 0;  ///< parts of seconds; a regression over the whole time has no parts (both 0)
  bool extrapolated = false;               ///< the profile holds no measurement at this process count
};

/// One of the models, fitted to a profile.
class ClusterModel {
 public:
  virtual ~ClusterModel() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// nullopt where the model has no form for the scheme or the profile lacks what it needs.
  [[nodiscard]] virtual std::optional<ClusterForecast> forecast(const SchemeFeatures& features,
                                                                LocalFormat format) const = 0;
};

/// Of these process counts the one nearest to `processes` in proportion; 0 for none.
int nearest_count(const std::vector<int>& counts, int processes);
/// Process counts with training runs, ascending.
std::vector<int> trained_counts(const ClusterProfile& profile);

}  // namespace sparsecast::cluster

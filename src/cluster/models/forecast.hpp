#pragma once
// Forecasts of one iteration on a cluster: what every cluster model answers, and the four models.

#include <memory>
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

/// The paper's model from micro-benchmarks (section III-C): sums of costs, nothing trained on products.
std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile);
/// The paper's polynomial support-vector regression (section III-B). Without libsvm it forecasts nothing.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile);
/// The paper's linear model (section III-A), 2du only.
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);
/// Ours: local products from timed blocks, messages from their own sizes and numbers, what sharing a node costs from
/// the training runs.
std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile);

/// By name or all of them ("all"), best first: sparsecast, microbench, svr, linear. Error usage for an unknown name.
std::vector<std::unique_ptr<ClusterModel>> cluster_models(const ClusterProfile& profile,
                                                          const std::string& which = "all");

/// Of these process counts the one nearest to `processes` in proportion; 0 for none.
int nearest_count(const std::vector<int>& counts, int processes);
/// Process counts with training runs, ascending.
std::vector<int> trained_counts(const ClusterProfile& profile);

}  // namespace sparsecast::cluster

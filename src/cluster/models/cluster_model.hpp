#pragma once
// What every cluster model answers: one iteration in one scheme and format on so many processes. Each has a file of its
// own, NAME_model.cpp; forecast.hpp lists them.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
/// One of the models, fitted to a profile.
class ClusterModel {
 public:
  virtual ~ClusterModel() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// nullopt where the model has no form for the scheme or the profile lacks what it needs.
  [[nodiscard]] virtual std::optional<ClusterForecast> forecast(const SchemeFeatures& features,
                                                                LocalFormat format) const = 0;
  /// Logarithms of measured over forecast seconds, of training runs on so many processes that the model was fitted
  /// without; of those that stand for all matrices, not of the random ones. Empty where nothing is known.
  [[nodiscard]] virtual std::vector<double> left_out_errors(Scheme scheme, LocalFormat format, int processes) const = 0;

 protected:
  explicit ClusterModel(int cores_per_node) : cores_per_node_(cores_per_node) {}
  /// Without parts.
  [[nodiscard]] ClusterForecast forecast_of(const SchemeFeatures& features, LocalFormat format, double seconds,
                                            bool extrapolated) const;

 private:
  int cores_per_node_;
};

/// Ours: local products from timed blocks, messages from their own sizes and numbers, what sharing a node costs from
/// the training runs.
std::unique_ptr<ClusterModel> sparsecast_model(const ClusterProfile& profile);
/// The paper's model from micro-benchmarks (section III-C): sums of costs, nothing trained on products.
std::unique_ptr<ClusterModel> microbench_model(const ClusterProfile& profile);
/// The paper's polynomial support-vector regression (section III-B). Without libsvm it forecasts nothing.
/// Takes the parameters that the profile holds; for others it searches a part of the grid when it is first asked.
std::unique_ptr<ClusterModel> svr_model(const ClusterProfile& profile);
/// The paper's linear model (section III-A), 2du only.
std::unique_ptr<ClusterModel> linear_model(const ClusterProfile& profile);

/// The whole grid of the regression for every scheme, format and process count of the runs: C, γ and ε by 5-fold
/// cross-validation. Some seconds each. Empty without libsvm.
std::vector<RegressionChoice> search_regressions(const ClusterProfile& profile);

/// left_out_errors() of a model that is not fitted to these runs.
std::vector<double> errors_of(const ClusterModel& model, const std::vector<TrainingRun>& runs, Scheme scheme,
                              LocalFormat format, int processes);
/// Fills low_s and high_s from the errors at the nearest process count of `counts`, both formats together. Beyond that
/// count it grows with every factor of two: nothing was measured there.
void set_interval(ClusterForecast& forecast, const ClusterModel& model, const std::vector<int>& counts);

/// Of these process counts the one nearest to `processes` in proportion; 0 for none.
int nearest_count(const std::vector<int>& counts, int processes);
/// Process counts with training runs, ascending.
std::vector<int> trained_counts(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

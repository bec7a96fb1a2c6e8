#pragma once
// A model of one iteration on a cluster, fitted to a profile; and how far its forecasts are believed.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
/// Logarithm of measured over forecast seconds, of a training run that the model was fitted without.
struct LeftOutError {
  std::string matrix;
  double error = 0;
};

/// One of the models, fitted to a profile.
class ClusterModel {
 public:
  virtual ~ClusterModel() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// nullopt where the model has no form for the scheme or the profile lacks what it needs.
  [[nodiscard]] virtual std::optional<ClusterForecast> forecast(const SchemeFeatures& features,
                                                                LocalFormat format) const = 0;
  /// Of training runs on so many processes; of those that stand for all matrices, not of the random ones. Empty where
  /// nothing is known.
  [[nodiscard]] virtual std::vector<LeftOutError> left_out_errors(Scheme scheme, LocalFormat format,
                                                                  int processes) const = 0;

 protected:
  explicit ClusterModel(int cores_per_node) : cores_per_node_(cores_per_node) {}
  /// Without parts.
  [[nodiscard]] ClusterForecast forecast_of(const SchemeFeatures& features, LocalFormat format, double seconds,
                                            bool extrapolated) const;

 private:
  int cores_per_node_;
};

/// left_out_errors() of a model that is not fitted to these runs.
std::vector<LeftOutError> errors_of(const ClusterModel& model, const std::vector<TrainingRun>& runs, Scheme scheme,
                                    LocalFormat format, int processes);
/// Fills low_s and high_s from the errors at the nearest process count of `counts`, both formats together. Away from
/// that count it grows with every factor of two, by a half of the errors and by constants::count_doubling at least:
/// nothing was measured there. Errors of fewer than three matrices say little of another's, however small they came
/// out: a factor e at least is taken. Below the shortest run, `shortest_s` (0: not known), the lower end goes down by
/// half the distance: what costs are constant was learned of longer ones.
void set_interval(ClusterForecast& forecast, const ClusterModel& model, const std::vector<int>& counts,
                  double shortest_s = 0);

/// Of these process counts the one nearest to `processes` in proportion; 0 for none. One process sends nothing: what
/// was measured on it says nothing of several.
int nearest_count(const std::vector<int>& counts, int processes);
/// Process counts with training runs, ascending.
std::vector<int> trained_counts(const ClusterProfile& profile);
/// The same, or where there are no runs those with messages.
std::vector<int> calibrated_counts(const ClusterProfile& profile);
}  // namespace sparsecast::cluster

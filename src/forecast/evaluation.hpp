#pragma once
// Predicted against measured: the cases, the errors by kernel and model, and what choosing by each model would cost.

#include <optional>
#include <string>
#include <vector>

namespace sparsecast::forecast {

/// One forecast held against one measured time.
struct EvaluationCase {
  std::string matrix, device, kernel, model;
  double predicted_s = 0, low_s = 0, high_s = 0;
  double measured_s = 0;
  double spread = 0;  ///< of the measurement's repeats, relative: the part of an error that is noise
  bool extrapolated = false;
  double core_speed = 1;    ///< of the host while measured over that of the calibration; the forecast is for it
  double launch_ratio = 1;  ///< of the time that its threads took to start then over that of the calibration; likewise
  std::optional<double> preprocess_predicted_s, preprocess_measured_s;  ///< the conversion, where it is known
  /// |predicted − measured| / measured, the papers' "performance difference rate".
  [[nodiscard]] double error() const;
  /// The same of the conversion; 0 where both say that there is none, nothing where one is not known.
  [[nodiscard]] std::optional<double> preprocess_error() const;
};

/// Errors of one model on one kernel.
struct ErrorSummary {
  std::string device, kernel, model;
  int cases = 0;
  double mean_error = 0, median_error = 0, p90_error = 0, max_error = 0;
  double mean_spread = 0;                       ///< of the repeats
  double coverage = 0;                          ///< share of cases inside [low_s, high_s]
  std::optional<double> preprocess_mean_error;  ///< over the cases whose conversions are known
};

/// What using the kernel that a model recommends would cost.
struct SelectionSummary {
  std::string device, model;
  int cases = 0;                           ///< matrices
  int hits = 0;                            ///< where the recommended kernel is the fastest or within 2 % of it
  double mean_regret = 0, max_regret = 0;  ///< time of the recommended kernel over that of the fastest, − 1
};

std::vector<ErrorSummary> summarize(const std::vector<EvaluationCase>& cases);
/// The fastest kernel is that among all measured ones of the matrix, whether or not the model has a form for it.
std::vector<SelectionSummary> selections(const std::vector<EvaluationCase>& cases);

}  // namespace sparsecast::forecast

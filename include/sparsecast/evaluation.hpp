#pragma once
// Predicted against measured: the cases, the errors by kernel and model, and what choosing by each model would cost.
//
// Thread safety: the structs are values, the functions safe from several threads at once.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// One forecast held against one measured time.
struct EvaluationCase {
  std::string matrix = {}, device = {}, kernel = {};
  std::string model = {};  ///< that forecast it
  double predicted_s = 0;
  double low_s = 0, high_s = 0;  ///< 90 % interval
  double measured_s = 0;         ///< one product
  double spread = 0;             ///< of the measurement's repeats, relative: the part of an error that is noise
  bool extrapolated = false;     ///< outside of what was calibrated
  double core_speed = 1;         ///< of the host while measured over that of the calibration; the forecast is for it
  double launch_ratio = 1;       ///< of the time that its threads took to start over that of the calibration; likewise
  std::optional<double> preprocess_predicted_s = {};  ///< the conversion, forecast
  std::optional<double> preprocess_measured_s = {};   ///< the conversion, measured
  /// Of one round's time beside another's, minutes apart: no forecast errs less.
  std::optional<double> repeat_error = {};
  std::int64_t nonzeros = 0;  ///< of the matrix
  bool recommended = false;   ///< what recommend() says of the model's forecasts of this matrix
  /// |predicted − measured| / measured, the papers' "performance difference rate".
  [[nodiscard]] double error() const;
  /// The same of the conversion; 0 where both say that there is none, nothing where one is not known.
  [[nodiscard]] std::optional<double> preprocess_error() const;
};

/// Errors of one model on one kernel.
struct ErrorSummary {
  std::string device = {}, kernel = {}, model = {};
  int cases = 0;
  double mean_error = 0, median_error = 0;
  double p90_error = 0;  ///< 90 % of the errors are below
  double max_error = 0;
  double mean_spread = 0;                            ///< of the measurements' repeats
  double coverage = 0;                               ///< share of cases within the interval
  std::optional<double> preprocess_mean_error = {};  ///< over the cases whose conversions are known
  /// Of one round beside another, over the cases that were measured twice.
  std::optional<double> mean_repeat_error = {};
};

/// What using the kernel that a model recommends would cost.
struct SelectionSummary {
  std::string device = {}, model = {};
  int cases = 0;           ///< matrices
  int hits = 0;            ///< where the choice is the fastest or within 2 % of it
  double mean_regret = 0;  ///< time of the choice over that of the fastest, − 1
  double max_regret = 0;
};

[[nodiscard]] std::vector<ErrorSummary> summarize(const std::vector<EvaluationCase>& cases);
/// The fastest kernel is that among all measured ones of the matrix, whether or not the model has a form for it.
[[nodiscard]] std::vector<SelectionSummary> selections(const std::vector<EvaluationCase>& cases);

}  // namespace sparsecast
#pragma GCC visibility pop

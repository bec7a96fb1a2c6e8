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

/// One forecast compared with one measured time.
struct EvaluationCase {
  std::string matrix = {}, device = {}, kernel = {};
  std::string model = {};  ///< model that made the forecast
  double predicted_s = 0;
  double low_s = 0, high_s = 0;  ///< 90 % interval
  double measured_s = 0;         ///< measured time of one product
  double spread = 0;             ///< relative scatter of the measurement's repeats: the part of an error that is noise
  bool extrapolated = false;     ///< true: the matrix lies outside the range that was calibrated
  double core_speed = 1;  ///< speed of a core while measuring, relative to the calibration; the forecast allows for it
  /// Time to start the threads while measuring, relative to the calibration; the forecast allows for it.
  double launch_ratio = 1;
  std::optional<double> preprocess_predicted_s = {};  ///< forecast time of the conversion
  std::optional<double> preprocess_measured_s = {};   ///< measured time of the conversion
  /// Difference between the times of two rounds, minutes apart: no forecast can be more accurate.
  std::optional<double> repeat_error = {};
  std::int64_t nonzeros = 0;  ///< non-zeros of the matrix
  bool recommended = false;   ///< true: recommend() chooses this kernel from the model's forecasts of this matrix
  /// |predicted − measured| / measured, the papers' "performance difference rate".
  [[nodiscard]] double error() const;
  /// The same error for the conversion. 0: both times say that there is none; empty: one of them is not known.
  [[nodiscard]] std::optional<double> preprocess_error() const;
};

/// Errors of one model on one kernel.
struct ErrorSummary {
  std::string device = {}, kernel = {}, model = {};
  int cases = 0;
  double mean_error = 0, median_error = 0;
  double p90_error = 0;  ///< 90 % of the errors are below this one
  double max_error = 0;
  double mean_spread = 0;  ///< mean scatter of the measurements' repeats
  double coverage = 0;     ///< share of the cases that lie within the interval
  /// Mean error of the conversion, over the cases whose conversion time is known.
  std::optional<double> preprocess_mean_error = {};
  /// Mean difference between two rounds, over the cases that were measured twice.
  std::optional<double> mean_repeat_error = {};
};

/// What using the kernel that a model recommends would cost.
struct SelectionSummary {
  std::string device = {}, model = {};
  int cases = 0;           ///< number of matrices
  int hits = 0;            ///< number of matrices on which the chosen kernel is the fastest or within 2 % of it
  double mean_regret = 0;  ///< mean of the chosen kernel's time / the fastest kernel's time − 1
  double max_regret = 0;
};

[[nodiscard]] std::vector<ErrorSummary> summarize(const std::vector<EvaluationCase>& cases);
/// Summarises the choices of each model. The fastest kernel is the fastest of all measured ones of a matrix, whether
/// the model has a formula for it or not.
[[nodiscard]] std::vector<SelectionSummary> selections(const std::vector<EvaluationCase>& cases);

}  // namespace sparsecast
#pragma GCC visibility pop

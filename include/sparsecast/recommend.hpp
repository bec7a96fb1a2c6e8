#pragma once
// Which kernel to use: the one that finishes first on a matrix, and why. Running it is in plan.hpp.
// Of a matrix on a device, predict() (answers/predict.hpp) forecasts and recommends in one question.

#include <cstdint>
#include <optional>
#include <sparsecast/forecast.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The kernel to use. Thread safety: a value; threads may share one that none of them changes.
struct Recommendation {
  std::string kernel;       ///< name of the kernel; empty if nothing could be forecast or no model's formula applies
  double seconds = 0;       ///< forecast time of one product
  std::string reason;       ///< one line: which model chose it, when a conversion pays, which kernels are as good
  std::string advice = {};  ///< compared with csr: "1.6 × as fast as csr, pays back after 14 products"; or empty
  std::vector<std::string> ties = {};  ///< kernels that the forecast cannot tell apart from it; in no document
};

/// Returns the time of the conversion and a number of products; empty if the time of the conversion is not known.
/// Thread safety: safe from several threads at once.
[[nodiscard]] std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations);

/// Returns the expected time of a product: the mean of a log-normal distribution about the forecast, as wide as its
/// interval, so that a less certain forecast counts as slower. For a measured machine it is the forecast itself. Thread
/// safety: safe from several threads at once.
[[nodiscard]] double expected_seconds(const Forecast& forecast);

/// Picks the kernel with the shortest expected time from the forecasts of one matrix: the time of one product, or with
/// `iterations` that of so many products and the conversion. Forecasts to which the model's formula does not apply
/// (Forecast::beyond) are never picked, those that do not fit into the device's memory (Forecast::fits) only where none
/// does.
/// Thread safety: safe from several threads at once.
[[nodiscard]] Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations = 0);

}  // namespace sparsecast
#pragma GCC visibility pop

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
  std::string kernel;  ///< name of the kernel; empty if nothing could be forecast or no model's formula applies
  double seconds = 0;  ///< forecast time of one product
  std::string reason;  ///< one line: by which model, when a conversion pays, which kernels are not told apart from it
  std::string advice = {};  ///< beside csr: "1.6 × as fast as csr, pays back after 14 products"; empty without csr
  std::vector<std::string> ties = {};  ///< those kernels; in no document, where the reason names them
};

/// The conversion and so many products; nothing where what the conversion takes is not known. Thread safety: safe from
/// several threads at once.
[[nodiscard]] std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations);

/// What a product takes in the mean of what its interval leaves open, the logarithm normal about the forecast: what is
/// less sure may cost more. Of a machine that was measured, the forecast. Thread safety: safe from several threads at
/// once.
[[nodiscard]] double expected_seconds(const Forecast& forecast);

/// Picks from forecasts of one matrix, by what is least to be expected: of the product, or with `iterations` of so many
/// products and the conversion.
/// Those that their model's formula does not reach (Forecast::beyond) are not picked.
/// Thread safety: safe from several threads at once.
[[nodiscard]] Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations = 0);

}  // namespace sparsecast
#pragma GCC visibility pop

#pragma once
// Which kernel to use: the one that finishes first on a matrix, and why. Running it is in plan.hpp.
//
// For example, the best kernel for a matrix on this machine, once `sparsecast calibrate` has measured it:
//
//   #include <cstdio>
//   #include <sparsecast/generate.hpp>
//   #include <sparsecast/recommend.hpp>
//
//   int main() {
//     const sparsecast::Matrix matrix = sparsecast::generate({.kind = "poisson2d", .parameters = {.size = 100}});
//     const sparsecast::Recommendation use =
//         sparsecast::recommend(sparsecast::analyze(matrix), sparsecast::calibrated_profile("host"));
//     std::printf("%s takes %.3g s: %s\n", use.kernel.c_str(), use.seconds, use.reason.c_str());
//   }

#include <cstdint>
#include <optional>
#include <sparsecast/forecast.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The kernel that finishes first. Thread safety: a value; threads may share one that none of them changes.
struct Recommendation {
  std::string kernel;  ///< as in kernel_table(); empty where nothing could be forecast
  double seconds = 0;  ///< forecast, one product
  std::string reason;  ///< one line: by which model, when a conversion pays, which kernels are not told apart from it
  std::string advice = {};  ///< beside csr: "1.6 × as fast as csr, pays back after 14 products"; empty without csr
  std::vector<std::string> ties = {};  ///< those kernels; in no document, where the reason names them
};

/// What is asked. Thread safety: a value; threads may share one that none of them changes.
struct RecommendOptions {
  /// A name of model_names(); "best": for each kernel the first of them that has a forecast.
  std::string model = "best";
  Precision precision = Precision::double_;
  int threads = 0;              ///< of the host: 0: default_threads(); without effect for other devices
  std::int64_t iterations = 0;  ///< so many products and the conversion; 0: the product alone, repeated for ever
  FitNotice notice = {};        ///< see FitOptions
};

/// Forecasts every kernel that the profile has records for and picks the one that finishes first. Fits the models each
/// time (their fits are kept on disk, see fit_model()): for many matrices fit once and call the function below. Error
/// failed where the profile has no records for that precision and number of threads, with the command that measures
/// them; bad_input where a host is asked about features alone, which do not tell what its formats store; usage for an
/// unknown model or negative iterations. Thread safety: safe from several threads at once.
[[nodiscard]] Recommendation recommend(const Structure& structure, const Profile& profile,
                                       const RecommendOptions& options = {});

/// The conversion and so many products; nothing where what the conversion takes is not known. Thread safety: safe from
/// several threads at once.
[[nodiscard]] std::optional<double> total_seconds(const Forecast& forecast, std::int64_t iterations);

/// Picks from forecasts of one matrix: of the product, or with `iterations` of so many products and the conversion.
/// Thread safety: safe from several threads at once.
[[nodiscard]] Recommendation recommend(const std::vector<Forecast>& forecasts, std::int64_t iterations = 0);

}  // namespace sparsecast
#pragma GCC visibility pop

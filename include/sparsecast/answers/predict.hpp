#pragma once
// predict: how long every kernel will take on a matrix, which to use, and why.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/places.hpp>
#include <sparsecast/powers.hpp>
#include <sparsecast/recommend.hpp>
#include <sparsecast/tier.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// The matrix, device, kernels and product to forecast.
struct PredictRequest {
  MatrixInput matrix = {};
  /// "host", "opencl:N", "cuda:N", a profile's or a described machine's name, or a description's file (.json).
  std::string device = "host";
  /// Read the measurements from this profile file instead of the device's own profile.
  std::filesystem::path profile = {};
  /// A table, or Ginkgo's JSON, of products measured on the described device, which correct its forecasts.
  std::filesystem::path anchors = {};
  /// A name of model_names(), "all", or "best": for each kernel the first of them that has a forecast.
  std::string model = "best";
  std::vector<std::string> kernels = {};  ///< only these; empty: all that the device's profile tells of
  ProductKind product = {};
  int threads = 0;                 ///< host threads; 0: one per available core
  Places places = Places::spread;  ///< of a described processor: how fewer threads than it has cores lie
  bool choose_threads = false;     ///< use the number of threads that is forecast to be fastest
  /// Rank by what finishes so many products first, conversion included; 0: by the product.
  std::int64_t iterations = 0;
  std::int64_t powers = 0;  ///< forecast so many powers of the matrix times a vector too; 0: none
  /// Time some products of the host's calibration again, which tells whether it has drifted.
  bool check_drift = false;
  bool no_store = false;  ///< neither use nor keep what was measured on this matrix before
  Listener listener = {};
};

/// What is forecast for one number of threads.
struct ThreadCount {
  int threads = 1;
  std::string kernel = {};  ///< the one that finishes first
  double seconds = 0;       ///< time of one product
  double total_s = 0;       ///< time of the conversion and all products, if a number was given
  double gflops = 0;        ///< in no document
};

/// Whether the host still runs as it did when it was calibrated.
struct DriftAnswer {
  bool seen = false;    ///< true: the median product is outside the forecasts' interval
  double ratio = 1;     ///< median of time now / recorded time
  double interval = 0;  ///< factor that the intervals allow in either direction
  int products = 0;     ///< number of products that were timed
};

/// Result of predict() for one matrix.
struct Prediction {
  MatrixSize matrix = {};
  DeviceName device = {};
  ProductKind product = {};
  /// With choose_threads: the number that is forecast to be fastest, which the forecasts are for.
  std::optional<int> threads = {};
  std::optional<int> enough_threads = {};  ///< the smallest number of threads within a twentieth of the fastest
  std::vector<ThreadCount> thread_counts = {};
  std::vector<Forecast> forecasts = {};  ///< sorted, fastest first
  Recommendation recommended = {};       ///< the recommended kernel
  /// Some products of the host's calibration timed again; nothing where none were.
  std::optional<DriftAnswer> drift = {};
  /// The nearest of the similar matrices whose times corrected the forecasts, and when they were measured here.
  std::string neighbours = {};
  std::optional<PowersStrategy> powers = {};  ///< powers of the matrix, if they were requested

  // In no document:
  std::string profile = {};                    ///< whose records
  Tier tier = Tier::measured;                  ///< what they are (Profile::tier)
  std::string observed = {};                   ///< "3 days ago": when this pattern was measured here
  std::string of_other_precision = {};         ///< one line where the records are of another precision
  std::vector<std::string> not_measured = {};  ///< kernels for such a matrix that the profile, older than they, lacks
  bool by_calibration = false;                 ///< a calibration of a device, which can be made again
  double bandwidth = 0;  ///< bytes/s that the device reads of a footprint as the recommended kernel streams; 0: unknown
};

/// Forecasts every kernel that the device's profile, or its description, tells of. Error failed with the command to run
/// where the device is here and was never calibrated; usage for an unknown name, with the nearest ones; bad_input where
/// a host is asked about features alone, or about powers of a matrix that is not there or not square; errors of reading
/// the matrix. Thread safety: safe from several threads at once, which run side by side; a device's models are fitted
/// once and shared.
[[nodiscard]] Prediction predict(const PredictRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop

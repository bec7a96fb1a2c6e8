#pragma once
// predict: how long every kernel will take on a matrix, which to use, and why.

#include <optional>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/forecast.hpp>
#include <sparsecast/recommend.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

struct PredictRequest {
  MatrixInput matrix = {};
  std::string device = "host";
  std::filesystem::path profile = {}, anchors = {};
  std::string model = "best";
  ProductKind product = {};
  int threads = 0;
  bool choose_threads = false;
  std::int64_t iterations = 0;
  bool check_drift = false;
  bool no_store = false;
  Listener listener = {};
};
template <>
struct Fields<PredictRequest> {
  static constexpr std::string_view about = "What is forecast, and for what.";
  static constexpr auto table = std::tuple(
      field<&PredictRequest::matrix>(
          "matrix files or ss:GROUP/NAME, folders of files, or structures (.json) as `info --json` prints them"),
      field<&PredictRequest::device>(
          "host, opencl:N, cuda:N, a profile's or a described machine's name, or a description (FILE.json)"),
      field<&PredictRequest::profile>("a profile file instead of a device's own measurements"),
      field<&PredictRequest::anchors>("some products measured on the described device, a table or Ginkgo's JSON, which "
                                      "mend its forecasts"),
      field<&PredictRequest::model>("a model's name, 'best' (for each kernel the first in order of preference that has "
                                    "a forecast) or 'all'"),
      field<&PredictRequest::product>("").in_its_place(),
      field<&PredictRequest::threads>("of the host; 0: all", at_least(0)),
      field<&PredictRequest::choose_threads>("the fastest number of threads instead"),
      field<&PredictRequest::iterations>("rank by what finishes so many products first, conversion included",
                                         at_least(0)),
      field<&PredictRequest::no_store>("neither use nor keep what was measured on this matrix before"),
      field<&PredictRequest::check_drift>("time some products of the host's calibration again, which tells whether it "
                                          "has drifted"));
};

/// What is forecast for one number of threads.
struct ThreadCount {
  int threads = 1;
  std::string kernel = {};
  double seconds = 0;
  double total_s = 0;
  double gflops = 0;  ///< in no document
};
template <>
struct Fields<ThreadCount> {
  static constexpr std::string_view about = "What is forecast for one number of threads.";
  static constexpr auto table = std::tuple(
      field<&ThreadCount::threads>("", at_least(1)), field<&ThreadCount::kernel>("that finishes first"),
      field<&ThreadCount::seconds>("one product", above(0)),
      field<&ThreadCount::total_s>("the conversion and all products, where a number was asked for", above(0)));
};

/// Whether the host still runs as it did when it was calibrated.
struct DriftAnswer {
  bool seen = false;
  double ratio = 1, interval = 0;
  int products = 0;
};
template <>
struct Fields<DriftAnswer> {
  static constexpr std::string_view about = "Some products of the host's calibration timed again.";
  static constexpr auto table =
      std::tuple(field<&DriftAnswer::seen>("the median product is outside the forecasts' interval"),
                 field<&DriftAnswer::ratio>("median time now over the time recorded", above(0)),
                 field<&DriftAnswer::interval>("ratio that the intervals allow, to either side", at_least(0)),
                 field<&DriftAnswer::products>("that were timed", at_least(0)));
};

template <>
struct Fields<ForecastPart> {
  static constexpr std::string_view about = "One term of a forecast: where the time goes.";
  static constexpr auto table = std::tuple(field<&ForecastPart::term>("the term").as("name"),
                                           field<&ForecastPart::seconds>("its share of the time"),
                                           field<&ForecastPart::bytes>("bytes that it moves", at_least(0)).as_whole());
};

template <>
struct Fields<Forecast> {
  static constexpr std::string_view about = "What a model says of one kernel on one matrix.";
  static constexpr auto table = std::tuple(
      field<&Forecast::kernel>("as the kernel table names it"), field<&Forecast::model>("that says so"),
      field<&Forecast::seconds>("one product, caches warm", above(0)),
      field<&Forecast::low_s>("least of the 90 % interval", above(0)),
      field<&Forecast::high_s>("most of the 90 % interval", above(0)),
      field<&Forecast::gflops>("2 × nonzeros × vectors / seconds / 10⁹", at_least(0)),
      field<&Forecast::bytes>("storage of the format on the device", at_least(0)),
      field<&Forecast::preprocess_s>("conversion from CSR into fresh memory; 0: none; null: not known", at_least(0)),
      field<&Forecast::preprocess_low_s>("least of its 90 % interval", at_least(0)),
      field<&Forecast::preprocess_high_s>("most of its 90 % interval", at_least(0)),
      field<&Forecast::extrapolated>("outside of what was calibrated"),
      field<&Forecast::records_precision>("of the records that it rests on"),
      field<&Forecast::tier>(
          "what it rests on: this matrix measured here (observed), a profile (measured), seconds on the "
          "machine (probe), its description (data sheet)"),
      field<&Forecast::moved>("factor by which alike patterns, measured here, have moved it", above(0)).where_known(),
      field<&Forecast::bound_by>("the term that binds").where_known(),
      field<&Forecast::total_s>("the conversion and as many products as were asked for", at_least(0)).where_known(),
      field<&Forecast::parts>("terms; they add up to seconds").where_known());
};

template <>
struct Fields<Recommendation> {
  static constexpr std::string_view about = "The kernel that finishes first.";
  static constexpr auto table =
      std::tuple(field<&Recommendation::kernel>("empty where nothing could be forecast"),
                 field<&Recommendation::seconds>("forecast, one product", at_least(0)),
                 field<&Recommendation::reason>("by which model, and what is near it"),
                 field<&Recommendation::advice>("beside csr; empty where csr has no forecast"));
};

struct Prediction {
  MatrixSize matrix = {};
  DeviceName device = {};
  ProductKind product = {};
  std::optional<int> threads = {}, enough_threads = {};
  std::vector<ThreadCount> thread_counts = {};
  std::vector<Forecast> forecasts = {};
  Recommendation recommended = {};
  std::optional<DriftAnswer> drift = {};
  std::string neighbours = {};

  // In no document:
  std::string profile = {}, tier = {};         ///< whose records, and what they are (Profile::tier)
  std::string observed = {};                   ///< "3 days ago": when this pattern was measured here
  std::string of_other_precision = {};         ///< one line where the records are of another precision
  std::vector<std::string> not_measured = {};  ///< kernels for such a matrix that the profile, older than they, lacks
  bool by_calibration = false;                 ///< a calibration of a device, which can be made again
  double bandwidth = 0;  ///< bytes/s that the device reads of a footprint as the recommended kernel streams; 0: unknown
};
template <>
struct Fields<Prediction> {
  static constexpr std::string_view about = "sparsecast predict --json, one matrix: forecasts, fastest first";
  static constexpr auto table = std::tuple(
      field<&Prediction::matrix>(""), field<&Prediction::device>(""), field<&Prediction::product>("").in_its_place(),
      field<&Prediction::threads>("with --threads auto: the count that is forecast to be fastest, which the forecasts "
                                  "are for",
                                  at_least(1))
          .where_known(),
      field<&Prediction::enough_threads>("the fewest within a twentieth of it", at_least(1)).where_known(),
      field<&Prediction::thread_counts>("").where_known(), field<&Prediction::forecasts>("fastest first"),
      field<&Prediction::recommended>("what to use"),
      field<&Prediction::drift>("some products of the host's calibration timed again; null where none were timed"),
      field<&Prediction::neighbours>(
          "the nearest of the alike patterns that have moved forecasts, and since when they were "
          "measured here")
          .where_known());
};

/// Forecasts every kernel that the device's profile, or its description, tells of. Error failed with the command to run
/// where the device is here and was never calibrated; usage for an unknown name, with the nearest ones; bad_input where
/// a host is asked about features alone; errors of reading the matrix. Thread safety: safe from several threads at
/// once, which run side by side; a device's models are fitted once and shared.
[[nodiscard]] Prediction predict(const PredictRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop

#pragma once
// Forecast: seconds of one sparse matrix-vector product for one (matrix, device, kernel, model). recommend.hpp picks a
// kernel from several.
//
// Thread safety: the structs are values; threads may share one that none of them changes.

#include <cstdint>
#include <memory>
#include <optional>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <vector>

namespace sparsecast {

/// One term of a forecast: where the time goes.
struct ForecastPart {
  std::string name;  ///< "stream", "x gather", "imbalance", "launch", …
  double seconds = 0;
  double bytes = 0;  ///< bytes that the term moves; 0 where it moves none
};

/// What a model says of one kernel on one matrix.
struct Forecast {
  std::string kernel;               ///< as in kernel_table()
  std::string model;                ///< as in model_names()
  double seconds = 0;               ///< one product, caches warm
  double low_s = 0, high_s = 0;     ///< 90 % interval
  double gflops = 0;                ///< 2 × nonzeros / seconds / 1e9
  std::int64_t bytes = 0;           ///< storage of the format on the device
  double preprocess_s = 0;          ///< conversion from CSR
  bool extrapolated = false;        ///< outside the calibrated range
  std::vector<ForecastPart> parts;  ///< adds up to seconds; empty where the model has no parts
  std::string tier = "measured";    ///< what it rests on, as Profile::tier
  std::string bound_by;  ///< the part that binds: "stream", "launch", …; empty where the model has no parts
};

/// A model fitted to one profile for one precision and thread count. Thread safety: the models of this library may be
/// asked by several threads at once.
class FittedModel {
 public:
  virtual ~FittedModel() = default;
  /// nullopt where the model has no form, or the profile no records, for that kernel. Error failed
  /// where the structure does not count what the format stores: on the host it must be analyze()'s, not a record of
  /// features.
  [[nodiscard]] virtual std::optional<Forecast> forecast(const Structure& structure,
                                                         const std::string& kernel) const = 0;
  /// The same where the threads start in `launch_s` seconds (as Record::launch_s) and not as is usual in the profile;
  /// 0: as usual. A model that knows nothing of it says the same.
  [[nodiscard]] virtual std::optional<Forecast> forecast_at(const Structure& structure, const std::string& kernel,
                                                            double /*launch_s*/) const {
    return forecast(structure, kernel);
  }
};

/// Which of a profile's records a model is fitted to.
struct FitOptions {
  Precision precision = Precision::double_;
  int threads = 0;  ///< host: number of threads; 0 for other devices
};

/// Names of the models, best first: the order in which predict prefers them. Thread safety: safe from several threads
/// at once.
[[nodiscard]] std::vector<std::string> model_names();
/// Fits one of them. The fits of "sparsecast" are kept in $SPARSECAST_HOME, so that only the first takes long. A
/// profile without matching records gives a model without forecasts. Error usage for an unknown name. Thread safety:
/// safe from several threads at once.
[[nodiscard]] std::unique_ptr<FittedModel> fit_model(const std::string& model, const Profile& profile,
                                                     const FitOptions& options);

}  // namespace sparsecast

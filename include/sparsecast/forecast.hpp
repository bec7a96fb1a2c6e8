#pragma once
// Forecast: seconds of one sparse matrix-vector product for one (matrix, device, kernel, model). recommend.hpp picks a
// kernel from several.
//
// Thread safety: the structs are values; threads may share one that none of them changes.

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <sparsecast/places.hpp>
#include <sparsecast/profile.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/terms.hpp>
#include <sparsecast/tier.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// One term of a forecast: where the time goes.
struct ForecastPart {
  Term term = Term::stream;
  double seconds = 0;  ///< its share of the forecast
  double bytes = 0;    ///< bytes that the term moves; 0 where it moves none
};

/// Why the formula of a model does not apply, such as a line of a paper's model beyond the range that was measured.
enum class Beyond {
  never_measured,  ///< the line for rows of this length was never measured; the one for shorter rows is used instead
  launch,          ///< the formula, or a part of it, gives less than the time to start a product, which is used instead
  grid,            ///< more or fewer strips, or longer or shorter rows, than any matrix that the model was fitted to
  bandwidth        ///< the formula is faster than the memory was ever read
};

/// A model's forecast for one kernel on one matrix.
struct Forecast {
  std::string kernel;                 ///< as in kernel_table()
  std::string model;                  ///< as in model_names()
  double seconds = 0;                 ///< time of one product with warm caches
  double low_s = 0, high_s = 0;       ///< 90 % interval
  double gflops = 0;                  ///< 2 × nonzeros / seconds / 1e9; 8 × for complex values
  std::optional<std::int64_t> bytes;  ///< size of the format on the device, if known
  /// Time of the conversion from CSR into fresh memory, upload included, and its 90 % interval. Exactly 0 if the matrix
  /// is multiplied as it is; empty if the profile has no such measurement.
  std::optional<double> preprocess_s, preprocess_low_s, preprocess_high_s;
  bool extrapolated = false;  ///< outside the calibrated range
  bool fits = true;  ///< the format and the vectors fit into the device's memory. Answers set it, models do not.
  /// Precision of the records that the forecast rests on. It is double_ for a forecast in single precision from a
  /// profile without records in single; the interval is wider then.
  Precision records_precision = Precision::double_;
  std::vector<ForecastPart> parts;  ///< terms, which add up to seconds; empty: the model has no parts
  Tier tier = Tier::measured;       ///< basis of the forecast, as Profile::tier
  /// Time of the conversion and the requested number of products. Empty if no number was requested or the time of the
  /// conversion is not known. Answers set it, models do not.
  std::optional<double> total_s;
  /// Factor by which measured products of similar patterns have moved the forecast. Answers set it, models do not.
  std::optional<double> moved;
  std::optional<Term> bound_by;  ///< term that limits the time; empty: the model has no parts
  /// Why the model's formula does not apply; such a forecast is extrapolated and not recommended. Empty: it applies.
  std::optional<Beyond> beyond = {};
  /// For a library's kernel on a device where it was not measured: versions, or years, that it was learned from.
  std::optional<std::string> learned_of = {};
};

/// A model fitted to one profile for one precision and thread count. Thread safety: the models of this library may be
/// asked by several threads at once.
class FittedModel {
 public:
  virtual ~FittedModel() = default;
  /// Forecasts one kernel. nullopt if the model has no formula, or the profile no records, for that kernel. Error
  /// failed if the structure lacks the counts that the format needs: on the host it must come from analyze(), not from
  /// a feature record.
  [[nodiscard]] virtual std::optional<Forecast> forecast(const Structure& structure,
                                                         const std::string& kernel) const = 0;
  /// The same, for threads that take `launch_s` seconds to start (as Record::launch_s) instead of the profile's usual
  /// time; 0: the usual time. A model that does not account for it returns the same forecast.
  [[nodiscard]] virtual std::optional<Forecast> forecast_at(const Structure& structure, const std::string& kernel,
                                                            double /*launch_s*/) const {
    return forecast(structure, kernel);
  }
};

/// A function that receives one line before a fit that takes seconds, such as "fitting the forecasts of host …". It is
/// called at most once per model, on the thread that requested the model or on one of its helpers. An exception that it
/// throws ends the fit.
using FitNotice = std::function<void(std::string_view line)>;

/// What a model forecasts, which decides the records of a profile that it is fitted to. If the profile has no record in
/// single precision for that number of threads, "sparsecast" forecasts it from the records in double.
struct FitOptions {
  Precision precision = Precision::double_;
  int threads = 0;        ///< host: number of threads; 0 for other devices
  FitNotice notice = {};  ///< not called for a fit that $SPARSECAST_HOME already holds
  /// For a described GPU: number of products that are started before the program waits; 0: as many as solvers start.
  double together = 0;
  Places places = Places::spread;  ///< for a described processor: where threads run if there are fewer than cores
  /// For a described GPU: the age of its libraries, "early" or "2018" (Ginkgo before and with its strategies for CSR,
  /// cuSPARSE 9 and older); empty: today's.
  std::string libraries = {};
};

/// Returns the names of the models, best first, which is the order in which predict prefers them. Thread safety: safe
/// from several threads at once.
[[nodiscard]] std::vector<std::string> model_names();
/// Fits a model to a profile. The fits of "sparsecast" are kept in $SPARSECAST_HOME, so only the first one takes long.
/// A profile without matching records gives a model without forecasts. Error usage for an unknown name. Thread safety:
/// safe from several threads at once.
[[nodiscard]] std::unique_ptr<FittedModel> fit_model(const std::string& model, const Profile& profile,
                                                     const FitOptions& options);

}  // namespace sparsecast
#pragma GCC visibility pop

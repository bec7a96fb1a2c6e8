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

/// Where the formula of a model does not reach, as the lines of the papers' models do not beyond what was measured.
enum class Beyond {
  never_measured,  ///< rows so long that the line which is theirs was never measured: told by that of shorter ones
  launch,          ///< the formula, or a part of it, is below what starting a product takes: told is that
  grid,            ///< more or fewer strips, or longer or shorter rows, than any matrix that it was fitted to
  bandwidth        ///< the formula is faster than the memory was ever read
};

/// What a model says of one kernel on one matrix.
struct Forecast {
  std::string kernel;                 ///< as in kernel_table()
  std::string model;                  ///< as in model_names()
  double seconds = 0;                 ///< time of one product with warm caches
  double low_s = 0, high_s = 0;       ///< 90 % interval
  double gflops = 0;                  ///< 2 × nonzeros / seconds / 1e9; 8 × of complex values
  std::optional<std::int64_t> bytes;  ///< storage of the format on the device, where it is known
  /// Conversion from CSR into memory that is touched for the first time, upload included, and its 90 % interval; 0
  /// exactly where the matrix is multiplied as it is. Nothing where the profile does not tell.
  std::optional<double> preprocess_s, preprocess_low_s, preprocess_high_s;
  bool extrapolated = false;  ///< outside the calibrated range
  /// Of the records that it rests on: double_ for a forecast in single precision from a profile without such records,
  /// which has a wider interval.
  Precision records_precision = Precision::double_;
  std::vector<ForecastPart> parts;  ///< adds up to seconds; empty where the model has no parts
  Tier tier = Tier::measured;       ///< what it rests on, as Profile::tier
  /// The conversion and as many products as were asked for; nothing where none were, or the conversion is not known.
  /// Answers fill it in, models do not.
  std::optional<double> total_s;
  /// Factor by which products of alike patterns, measured here, have moved it. Answers fill it in, models do not.
  std::optional<double> moved;
  std::optional<Term> bound_by;  ///< the term that binds; nothing where the model has no parts
  /// Why the model's formula does not reach here; it is extrapolated then, and not recommended. Nothing where it does.
  std::optional<Beyond> beyond = {};
  /// Of a library's kernel on a device where it was not measured: the versions, or years, that it was learned of.
  std::optional<std::string> learned_of = {};
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

/// Told one line before a fit that takes seconds, such as "fitting the forecasts of host …". It is called at most once
/// per model, by the thread that asked for the model or by one of its helpers, and what it throws ends the fit.
using FitNotice = std::function<void(std::string_view line)>;

/// What a model forecasts, and so which of a profile's records it is fitted to. Where the profile has no record in
/// single precision for that number of threads, "sparsecast" forecasts it from those in double.
struct FitOptions {
  Precision precision = Precision::double_;
  int threads = 0;        ///< host: number of threads; 0 for other devices
  FitNotice notice = {};  ///< a fit that is kept in $SPARSECAST_HOME already is not told of
  /// A described GPU: so many products are started one after the other and waited for once; 0: as many as solvers have.
  double together = 0;
  Places places = Places::spread;  ///< of a described processor: how fewer threads than it has cores lie
  /// A described GPU: the age of its libraries, "early" or "2018" (Ginkgo before and with its strategies for CSR,
  /// cuSPARSE 9 and older); empty: today's.
  std::string libraries = {};
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
#pragma GCC visibility pop

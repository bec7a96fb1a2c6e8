#pragma once
// The product's own model, `sparsecast`: for every kernel of a profile, physical terms and a learned residual
// (kernel_fit.hpp). Works on every profile, calibrated here or imported, and on feature records as on matrices.

#include "forecast/learned/kernel_fit.hpp"

namespace sparsecast::forecast {
// What no forecast may leave: nothing moves its bytes faster than the fastest benchmark matrix did, by more than a
// quarter, and nothing takes longer for its bytes and misses than the slowest did. Terms that the calibration could not
// identify may say anything of a matrix far from all of its own; these two hold there as well.

class Roof {
 public:
  /// From one kernel's records; `fastest_rate` in bytes/s over all of them.
  Roof(const Profile& profile, int threads, const Observations& seen, double fastest_rate);

  /// Seconds; 0 where there are no records to tell.
  [[nodiscard]] double least(const Workload& workload) const;
  /// Seconds; infinite where no record is large enough to tell.
  [[nodiscard]] double most(const Workload& workload) const;

 private:
  [[nodiscard]] double streamed(const Workload& workload) const;

  Curve bandwidth_;      // bytes/s over footprint; empty where the profile has none
  double fastest_rate_;  // bytes/s
  double slowest_ = 0;   // times streamed(); 0: unknown
};

/// Fits every kernel that has records in that precision and thread count. Fits are kept in the home folder under the
/// hash of what they depend on, so that an unchanged profile is fitted once.
std::unique_ptr<FittedModel> fit_sparsecast_model(const Profile& profile, const FitOptions& options);

/// The same model for judging: forecast() of a structure is made by a fit that has not seen the benchmark matrices
/// whose `column` equals the structure's name. Not cached. `names`: the structures that will be asked for.
/// Error usage for a column that profiles do not keep (they keep "twin_of" and "matrix").
std::unique_ptr<FittedModel> fit_sparsecast_model_without(const Profile& profile, const FitOptions& options,
                                                          const std::string& column,
                                                          const std::vector<std::string>& names);
}  // namespace sparsecast::forecast

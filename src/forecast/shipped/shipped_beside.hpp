#pragma once
// What ships beside what a quick calibration measured. Its few matrices tell how fast this host is; how kernels differ
// on matrices unlike them, a full calibration of another processor may tell better. So both are asked: what ships,
// moved to the one level at which all kernels were measured here, and the own fit, each with the weight that its errors
// earned.

#include <map>
#include <optional>
#include <sparsecast/profile.hpp>

#include "forecast/record_set.hpp"
#include "forecast/shipped/shipped_fits.hpp"

namespace sparsecast::forecast {
class ShippedBeside {
 public:
  /// Nothing of a device, of single precision, of a calibration that measured enough matrices by itself or that ships,
  /// and where nothing ships for that number of threads.
  [[nodiscard]] static std::optional<ShippedBeside> of(const Profile& profile, const RecordSet& records);

  /// Part of the name under which a fit is kept.
  [[nodiscard]] const std::string& stamp() const { return stamp_; }
  /// The fit of that kernel with this profile's priors; nullptr where none ships.
  [[nodiscard]] const KernelFit* fit(const std::string& kernel) const;
  /// What conversions cost over their priors where the fits are from.
  [[nodiscard]] const std::map<std::string, ConversionFit>& conversions() const { return conversions_; }
  /// log(measured / forecast) of every observation; none where the kernel does not ship.
  [[nodiscard]] Eigen::VectorXd errors(const std::string& kernel, const Observations& seen,
                                       const TermChoice& terms) const;

 private:
  std::string stamp_;
  std::map<std::string, KernelFit> fits_;
  std::map<std::string, ConversionFit> conversions_;
};

/// How much of a forecast is what ships, and how.
struct BesideWeight {
  double level = 0;       ///< added to its logarithm
  double weight = 0;      ///< 0 to 1
  double half_width = 0;  ///< of its 90 % interval, as earned here
};

/// The level common to all kernels, and for each the weights by inverse squares of both errors.
[[nodiscard]] std::map<std::string, BesideWeight> weigh_shipped(const std::map<std::string, const KernelFit*>& own);
}  // namespace sparsecast::forecast

#pragma once
// What it costs to make a format out of CSR: per kernel a formula with positive coefficients over what the conversion
// writes, reads and goes through, fitted to the profile's conversions, and the interval in which nine in ten of those
// lie that it has not seen.

#include <map>
#include <optional>
#include <sparsecast/forecast.hpp>
#include <vector>

#include "forecast/physical/core_costs.hpp"
#include "forecast/record_set.hpp"
#include "formats/kernels.hpp"

namespace sparsecast::forecast {
/// What the conversion of one matrix goes through.
struct ConversionAmounts {
  double small_bytes = 0;  ///< written to memory touched for the first time, in small pages
  double large_bytes = 0;  ///< the same of arrays that lie in huge pages
  double nonzeros = 0;     ///< read
  double far = 0;          ///< of them, those that the caches do not hold beside what is written
  double rows = 0;         ///< gone through, and put in order where the format wants one
  double padding = 0;      ///< slots filled without an entry
  double turns = 0;        ///< decisions between entry and padding, or ends of rows, that no predictor knows
};

/// Of a whole matrix on a kind of device; `bytes` is what the format takes there (storage_bytes()). `last_cache` in
/// bytes; 0: nothing is far.
[[nodiscard]] ConversionAmounts conversion_amounts(const formats::KernelInfo& kernel, const Structure& structure,
                                                   std::int64_t bytes, Precision precision, DeviceKind kind,
                                                   double last_cache = 0);
/// Seconds per unit of each amount, and the constant.
struct ConversionCosts {
  double constant = 0, small_byte = 0, large_byte = 0, nonzero = 0, row = 0, padding = 0, turn = 0, far = 0;
  [[nodiscard]] double seconds(const ConversionAmounts& a) const {
    return constant + small_byte * a.small_bytes + large_byte * a.large_bytes + nonzero * a.nonzeros + row * a.rows +
           padding * a.padding + turn * a.turns + far * a.far;
  }
  [[nodiscard]] ConversionCosts operator*(const ConversionCosts& by) const {
    return {constant * by.constant,
            small_byte * by.small_byte,
            large_byte * by.large_byte,
            nonzero * by.nonzero,
            row * by.row,
            padding * by.padding,
            turn * by.turn,
            far * by.far};
  }
  [[nodiscard]] ConversionCosts operator/(const ConversionCosts& by) const {
    return {constant / by.constant,
            small_byte / by.small_byte,
            large_byte / by.large_byte,
            nonzero / by.nonzero,
            row / by.row,
            padding / by.padding,
            turn / by.turn,
            far / by.far};
  }
};

/// Conversions of one kernel.
struct MeasuredConversions {
  std::vector<ConversionAmounts> amounts;
  std::vector<int> families;  ///< of benchmark matrices of one recipe
  std::vector<double> seconds;
};

struct ConversionFit {
  ConversionCosts costs;
  /// Of held-back families: log seconds forecast, ascending, and how far off the logarithm was, in the same order.
  std::vector<std::pair<double, double>> errors;
  double widening = 0;  ///< added to the width: it was fitted on another host, or in the other precision
  /// Half of the interval's width in logarithms for a conversion of so many seconds.
  [[nodiscard]] double half_width(double seconds) const;
};
/// `like`: those of a kernel that converts in much the same way, whose costs are the prior then.
[[nodiscard]] ConversionFit fit_conversions(const MeasuredConversions& measured, const CoreCosts& core,
                                            const ConversionFit* like = nullptr);

/// What the costs are expected to be before any conversion was timed but the shortest, of that many seconds.
[[nodiscard]] ConversionCosts prior_costs(const CoreCosts& core, double shortest_s);

class ConversionModel {
 public:
  ConversionModel(const Profile& profile, const RecordSet& records);
  /// With what another host's conversions were fitted to, scaled to this one.
  ConversionModel(const Profile& profile, const RecordSet& records, std::map<std::string, ConversionFit> fits,
                  double widening);

  /// Of kernels whose conversions the profile does not tell of: what another host's were fitted to, scaled to this one.
  void take_where_unknown(std::map<std::string, ConversionFit> fits, double widening);

  [[nodiscard]] const std::map<std::string, ConversionFit>& fits() const { return fits_; }

  struct Estimate {
    double seconds = 0, low_s = 0, high_s = 0;
  };
  /// 0 exactly where the kernel takes the Matrix's own arrays; nullopt where the profile does not tell.
  [[nodiscard]] std::optional<Estimate> estimate(const std::string& kernel, const Structure& structure,
                                                 std::optional<std::int64_t> bytes) const;
  /// The same, into a forecast.
  void tell(Forecast& forecast, const Structure& structure) const;

 private:
  DeviceKind kind_;
  Precision precision_;
  double last_cache_;  // bytes; 0 on a device
  std::map<std::string, ConversionFit> fits_;
};
}  // namespace sparsecast::forecast

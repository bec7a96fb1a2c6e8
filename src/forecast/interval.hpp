#pragma once
// What the ends of an interval tell of the distribution in it.

#include <cmath>
#include <sparsecast/forecast.hpp>
#include <sparsecast_constants.hpp>

#include "matrix/generate/portable_math.hpp"

namespace sparsecast::forecast {
/// Deviations of a normal distribution from one end of a 90 % interval to the other.
inline const double interval_deviations = 2 * matrix::normal_quantile((1 + constants::interval_share) / 2);

/// Adds an error of its own, in logarithms, to both ends.
inline void widen(Forecast& forecast, double by) {
  const double low = std::log(forecast.seconds / forecast.low_s), high = std::log(forecast.high_s / forecast.seconds);
  forecast.low_s = forecast.seconds * std::exp(-std::hypot(low, by));
  forecast.high_s = forecast.seconds * std::exp(std::hypot(high, by));
}

/// For machines of which all that is known was measured in double precision: another one is extrapolated, and off by
/// as much more as calibrated hosts are (constants.tsv); of described machines that was never compared.
inline void extrapolate_to(Precision precision, Forecast& forecast) {
  if (!is_single(precision)) return;
  forecast.extrapolated = true;
  widen(forecast, constants::other_precision_error);
}
}  // namespace sparsecast::forecast

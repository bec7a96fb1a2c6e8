#pragma once
// What the ends of an interval tell of the distribution in it.

#include <sparsecast_constants.hpp>

#include "matrix/generate/portable_math.hpp"

namespace sparsecast::forecast {
/// Deviations of a normal distribution from one end of a 90 % interval to the other.
inline const double interval_deviations = 2 * matrix::normal_quantile((1 + constants::interval_share) / 2);
}  // namespace sparsecast::forecast

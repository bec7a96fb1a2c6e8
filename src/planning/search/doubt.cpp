#include "planning/search/doubt.hpp"

#include <cmath>

#include "planning/search/numbers.hpp"

namespace sparsecast::planning {
double deviation_of(const Forecast& forecast) {
  return forecast.low_s > 0 ? std::log(forecast.high_s / forecast.low_s) / 2 / two_sided_90 : 1;
}
}  // namespace sparsecast::planning

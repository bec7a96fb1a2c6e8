#pragma once
// Forecasts in the order in which they are worth following: those that the model's formula reaches stand before those
// that it does not (Forecast::beyond), whatever their times.

#include <sparsecast/forecast.hpp>
#include <utility>

namespace sparsecast::forecast {
/// Whether the number is no formula's: a launch in place of it, or a line of other rows.
[[nodiscard]] inline bool stands_in(const Forecast& forecast) {
  return forecast.beyond == Beyond::launch || forecast.beyond == Beyond::never_measured;
}

/// For sorting: what is known, fastest first, then what is not.
[[nodiscard]] inline std::pair<bool, double> by_reach(const Forecast& forecast) {
  return {forecast.beyond.has_value(), forecast.seconds};
}
}  // namespace sparsecast::forecast

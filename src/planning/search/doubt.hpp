#pragma once
// How far a forecast may be off, as searches weigh it.

#include <sparsecast/forecast.hpp>

namespace sparsecast::planning {
/// Standard deviation of the error of log(seconds), from the forecast's 90 % interval. Without an interval any factor
/// is possible, so that no cut is advised.
[[nodiscard]] double deviation_of(const Forecast& forecast);
}  // namespace sparsecast::planning

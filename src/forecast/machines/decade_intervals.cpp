#include "forecast/machines/decade_intervals.hpp"

#include <algorithm>
#include <cmath>

namespace sparsecast::forecast {
std::size_t DecadeIntervals::decade_of(double nonzeros) {
  const double decade = std::floor(std::log10(std::max(1.0, nonzeros))) - 3;
  return static_cast<std::size_t>(std::clamp(decade, 0.0, static_cast<double>(decades - 1)));
}
}  // namespace sparsecast::forecast

#include "forecast/papers/line.hpp"

#include <numeric>

namespace sparsecast::forecast {
Line fit_line(std::span<const double> x, std::span<const double> y) {
  if (x.empty()) return {};
  const auto count = static_cast<double>(x.size());
  // About the means, so that nothing is lost to cancellation.
  const double mean_x = std::accumulate(x.begin(), x.end(), 0.0) / count;
  const double mean_y = std::accumulate(y.begin(), y.end(), 0.0) / count;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += (x[i] - mean_x) * (x[i] - mean_x);
    xy += (x[i] - mean_x) * (y[i] - mean_y);
  }
  const double slope = xx > 0 ? xy / xx : 0;
  return {mean_y - slope * mean_x, slope};
}
}  // namespace sparsecast::forecast

#include "base/median.hpp"

#include <algorithm>
#include <utility>

namespace sparsecast::base {
double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const double share = position - static_cast<double>(below);
  return share > 0 ? values[below] + share * (values[below + 1] - values[below]) : values[below];
}
}  // namespace sparsecast::base

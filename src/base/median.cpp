#include "base/median.hpp"

#include <algorithm>

namespace sparsecast::base {

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::ranges::nth_element(values, middle);
  if (values.size() % 2 == 1) return *middle;
  return (*std::ranges::max_element(values.begin(), middle) + *middle) / 2;
}

}  // namespace sparsecast::base

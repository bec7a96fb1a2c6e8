#include "planning/search/cost.hpp"

#include <algorithm>
#include <cmath>

#include "formats/kernels.hpp"

namespace sparsecast::planning {
void find_break_even(Strategy& strategy) { find_break_even(strategy, strategy, 0); }

void find_break_even(Strategy& strategy, const Strategy& beside, double spent_before_s) {
  const auto plain = std::ranges::find(beside.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain == beside.singles.end()) return;
  strategy.break_even = 0;
  const double saved = plain->measured_s.value_or(plain->seconds) - strategy.predicted_s;
  const double spent = strategy.conversion_s + spent_before_s - plain->conversion_s;
  constexpr double most_products = std::int64_t{1} << 50;
  if (spent > 0)
    strategy.break_even = saved > 0 ? static_cast<std::int64_t>(std::ceil(std::min(spent / saved, most_products))) : -1;
}
}  // namespace sparsecast::planning

#include "planning/search/cost.hpp"

#include <algorithm>
#include <cmath>

#include "formats/kernels.hpp"

namespace sparsecast::planning {
namespace {
// Whether every block is multiplied in the arrays of the CSR matrix itself.
bool needs_no_conversion(const Strategy& strategy) {
  return std::ranges::all_of(strategy.blocks, [](const PlannedBlock& block) {
    const formats::KernelInfo* const kernel = formats::find_kernel(block.kernel);
    return !block.reordered && kernel != nullptr && kernel->format == formats::csr_format;
  });
}

// A profile that tells of no conversion does not say that there is none.
bool knows_conversion(const Strategy& strategy) {
  return strategy.conversion_s > 0 || needs_no_conversion(strategy) ||
         std::ranges::any_of(strategy.singles, [](const SingleKernel& single) { return single.conversion_s > 0; });
}
}  // namespace

void find_break_even(Strategy& strategy) {
  const auto plain = std::ranges::find(strategy.singles, formats::default_kernel().name, &SingleKernel::kernel);
  if (plain != strategy.singles.end()) find_break_even(strategy, *plain, 0);
}

void find_break_even(Strategy& strategy, const SingleKernel& plain, double spent_before_s) {
  strategy.break_even = knows_conversion(strategy) ? 0 : break_even_unknown;
  const double saved = plain.measured_s.value_or(plain.seconds) - strategy.predicted_s;
  const double spent = strategy.conversion_s + spent_before_s - plain.conversion_s;
  constexpr double most_products = std::int64_t{1} << 50;
  if (spent > 0)
    strategy.break_even = saved > 0 ? static_cast<std::int64_t>(std::ceil(std::min(spent / saved, most_products))) : -1;
}

void find_break_even(Strategy& strategy, const std::optional<SingleKernel>& plain) {
  if (plain) return find_break_even(strategy, *plain, 0);
  strategy.break_even = needs_no_conversion(strategy) ? 0 : break_even_unknown;
}

std::optional<SingleKernel> plain_among(const std::vector<Forecast>& forecasts) {
  const auto plain = std::ranges::find(forecasts, formats::default_kernel().name, &Forecast::kernel);
  if (plain == forecasts.end()) return std::nullopt;
  return SingleKernel{.kernel = plain->kernel,
                      .seconds = plain->seconds,
                      .conversion_s = plain->preprocess_s.value_or(0),
                      .low_s = plain->low_s,
                      .high_s = plain->high_s,
                      .bytes = plain->bytes.value_or(0)};
}
}  // namespace sparsecast::planning

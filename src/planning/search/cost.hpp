#pragma once
// What a plan minimises: the time of one product, or, where the number of products is known, of the conversion and all
// of them. The one place that says so; every search, trial and look-up compares candidates by it.

#include <algorithm>
#include <optional>
#include <sparsecast/plan.hpp>
#include <utility>
#include <vector>

#include "forecast/reach.hpp"

namespace sparsecast::planning {
/// Seconds of `iterations` products and the conversion before them; with 0 iterations, of one product alone, repeated
/// for ever. Thread safety: a value.
struct Cost {
  std::int64_t iterations = 0;

  [[nodiscard]] double operator()(double seconds, double conversion_s) const {
    return iterations > 0 ? static_cast<double>(iterations) * seconds + conversion_s : seconds;
  }
  /// A conversion whose time is not known counts as none.
  [[nodiscard]] double operator()(const Forecast& forecast) const {
    return (*this)(forecast.seconds, forecast.preprocess_s.value_or(0));
  }
  [[nodiscard]] double operator()(const SingleKernel& single) const {
    return (*this)(single.seconds, single.conversion_s);
  }
};

/// In which order forecasts are followed: where the number is no formula's (forecast/reach.hpp), behind all others.
[[nodiscard]] inline std::pair<bool, double> rank(const Forecast& forecast, const Cost& cost) {
  return {forecast::stands_in(forecast), cost(forecast)};
}

/// Whether a plan may take the kernel: one of those that were named, or any where none was.
[[nodiscard]] inline bool may_take(const StrategyOptions& wanted, const std::string& kernel) {
  return wanted.kernels.empty() || std::ranges::find(wanted.kernels, kernel) != wanted.kernels.end();
}

/// Of a strategy, for as many products as it was made for.
[[nodiscard]] inline double cost_of(const Strategy& strategy) {
  return Cost{strategy.iterations}(strategy.predicted_s, strategy.conversion_s);
}

/// Strategy::break_even of conversions whose time is not known.
inline constexpr std::int64_t break_even_unknown = -2;
/// Sets Strategy::break_even: from how many products on the conversion is earned back against the default kernel, which
/// needs none; break_even_unknown where nothing tells how long the conversion takes. Where that kernel is none of the
/// strategy's singles, what was found before stays.
void find_break_even(Strategy& strategy);
/// The same against that kernel as it is elsewhere, as in the old order of rows and columns; `spent_before_s`: what was
/// spent first, as for another order.
void find_break_even(Strategy& strategy, const SingleKernel& plain, double spent_before_s);
/// The same where that kernel may have no forecast: then it is known only of what is not converted.
void find_break_even(Strategy& strategy, const std::optional<SingleKernel>& plain);

/// The default kernel among forecasts; nothing where none of them is its.
[[nodiscard]] std::optional<SingleKernel> plain_among(const std::vector<Forecast>& forecasts);
}  // namespace sparsecast::planning

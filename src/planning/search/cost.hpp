#pragma once
// What a plan minimises: the time of one product, or, where the number of products is known, of the conversion and all
// of them. The one place that says so; every search, trial and look-up compares candidates by it.

#include <sparsecast/plan.hpp>
#include <utility>

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

/// Of a strategy, for as many products as it was made for.
[[nodiscard]] inline double cost_of(const Strategy& strategy) {
  return Cost{strategy.iterations}(strategy.predicted_s, strategy.conversion_s);
}

/// Sets Strategy::break_even: from how many products on the conversion is earned back against the default kernel, which
/// needs none. `beside`: the strategy that has that kernel, where it is another one, and what was spent first, as for
/// another order of rows and columns.
void find_break_even(Strategy& strategy);
void find_break_even(Strategy& strategy, const Strategy& beside, double spent_before_s);
}  // namespace sparsecast::planning

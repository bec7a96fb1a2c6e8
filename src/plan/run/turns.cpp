#include "plan/run/turns.hpp"

#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"

namespace sparsecast::planning {
namespace {

constexpr int fewest_rounds = 5;

void warm_up(Turns& one, double block_s) {
  (void)one.product->run(1);
  double taken = one.product->run(1);
  while (taken * 2 < block_s && one.runs < (1 << 20)) {
    one.runs *= 2;
    taken = one.product->run(one.runs);
  }
}

}  // namespace

int take_turns(std::vector<Turns>& series, const MeasureOptions& options) {
  for (Turns& one : series) {
    base::throw_if_interrupted();
    warm_up(one, options.block_s);
  }
  double spent = 0;
  int rounds = 0;
  for (; rounds < options.rounds && (rounds < fewest_rounds || spent < options.most_s); ++rounds) {
    for (std::size_t i = 0; i < series.size(); ++i) {
      base::throw_if_interrupted();
      Turns& one = series[rounds % 2 == 0 ? i : series.size() - 1 - i];
      const double seconds = one.product->run(one.runs);
      one.seconds.push_back(seconds / one.runs);
      spent += seconds;
    }
  }
  return rounds;
}

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  const double position = q * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(position);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (position - static_cast<double>(below)) * (values[above] - values[below]);
}

GainOfTurns gain_over(const Turns& slow, const Turns& fast) {
  std::vector<double> gains;
  for (std::size_t r = 0; r < std::min(slow.seconds.size(), fast.seconds.size()); ++r)
    gains.push_back(1 - fast.seconds[r] / slow.seconds[r]);
  return {quantile(gains, 0.5), quantile(gains, 0.05), quantile(gains, 0.95)};
}

std::vector<double> vector_for_checks(std::int64_t entries) {
  std::vector<double> x(static_cast<std::size_t>(entries));
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 0.5 + static_cast<double>(i * 2654435761U % 65536) / 65536;
  return x;
}

double largest_error(std::span<const double> y, std::span<const double> expected) {
  double error = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    error = std::max(error, std::abs(y[i] - expected[i]));
    largest = std::max(largest, std::abs(expected[i]));
  }
  return largest > 0 ? error / largest : error;
}

}  // namespace sparsecast::planning

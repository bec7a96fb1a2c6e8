#include "planning/run/turns.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>

#include "base/interrupt.hpp"
#include "base/median.hpp"

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

GainOfTurns gain_over(const Turns& slow, const Turns& fast) {
  std::vector<double> gains;
  for (std::size_t r = 0; r < std::min(slow.seconds.size(), fast.seconds.size()); ++r)
    gains.push_back(1 - fast.seconds[r] / slow.seconds[r]);
  return {base::quantile(gains, 0.5), base::quantile(gains, 0.05), base::quantile(gains, 0.95)};
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

std::string gain_text(double gain, double low, double high, std::string_view doubt) {
  const std::string range = fmt::format("{:.1f} % – {:.1f} %", 100 * low, 100 * high);
  if (low > 0 || high < 0) return fmt::format("gain {:.1f} % ({})", 100 * gain, range);
  // An interval that reaches beyond losing a whole product's time says only that nothing is known.
  return low < -1 ? fmt::format("no gain beyond {}", doubt) : fmt::format("no gain beyond {} ({})", doubt, range);
}
}  // namespace sparsecast::planning

#pragma once
// Products timed in turns, so that a machine that drifts or is shared hurts all alike, and what the rounds say.

#include <span>
#include <sparsecast/plan.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "hardware/device.hpp"

namespace sparsecast::planning {
struct MeasureOptions {
  int rounds = 31;
  double block_s = 2e-3;  ///< a turn takes about so long
  double most_s = 20;     ///< soft bound on all rounds together; at least 5 are made
};

/// One of the products that take turns.
struct Turns {
  hardware::Product* product = nullptr;
  int runs = 1;                 ///< of one turn
  std::vector<double> seconds;  ///< of one product, by round
};

/// Turn by turn, the order reversed in every other round, so that none always follows the same neighbour. Returns how
/// many rounds were made.
int take_turns(std::vector<Turns>& series, const MeasureOptions& options);

/// Share of the slow one's time that the fast one saves: median, 5 % and 95 % quantile over rounds.
struct GainOfTurns {
  double median = 0, low = 0, high = 0;
};
[[nodiscard]] GainOfTurns gain_over(const Turns& slow, const Turns& fast);

/// Entries in [0.5, 1.5), the same on every run.
[[nodiscard]] std::vector<double> vector_for_checks(std::int64_t entries);

/// Largest difference, relative to the largest entry expected.
[[nodiscard]] double largest_error(std::span<const double> y, std::span<const double> expected);

/// "gain 12.0 % (8.0 % – 15.0 %)"; where the interval holds 0, that there is no gain beyond `doubt` ("the noise"): a
/// number would say what was not found.
[[nodiscard]] std::string gain_text(double gain, double low, double high, std::string_view doubt);
/// Of a strategy's best cut, in the words of its reason: a cut that is taken although its interval holds 0, as a
/// paper's model has it or as was asked for, is told with the gain that it was taken for.
[[nodiscard]] std::string gain_text(const Strategy& strategy);
}  // namespace sparsecast::planning

#pragma once
// The candidates of a strategy: what would be taken without trials, every single kernel, the best cut.

#include <sparsecast/plan.hpp>

#include "planning/trials/trial_course.hpp"

namespace sparsecast::planning {
struct Contender {
  Candidate forecast;
  Strategy strategy;       ///< the one that was planned, with this candidate's blocks
  std::int64_t bytes = 0;  ///< of its formats, 0 where not known
};

/// The planned one first, the others by what finishes first.
[[nodiscard]] std::vector<Contender> contenders(const Strategy& planned);

/// Those that finish first come first.
void sort_by_cost(std::vector<Contender>& all, std::int64_t iterations);
}  // namespace sparsecast::planning

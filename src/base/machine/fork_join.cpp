#include "base/machine/fork_join.hpp"

#include <algorithm>
#include <limits>

#include "base/clock.hpp"
#include "base/team.hpp"

namespace sparsecast::base {
double fork_join_seconds(int threads, int series) {
  constexpr int regions = 100;
  if (threads <= 1) return 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (int s = 0; s < std::max(1, series); ++s) {
    const double start = now_s();
    for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(base::team_of(threads))
      asm volatile("" : : : "memory");  // nobody may drop the region
    }
    shortest = std::min(shortest, now_s() - start);
  }
  return shortest / regions;
}
}  // namespace sparsecast::base

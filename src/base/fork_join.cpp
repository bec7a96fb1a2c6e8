#include "base/fork_join.hpp"

#include <algorithm>
#include <chrono>
#include <limits>

namespace sparsecast::base {

double fork_join_seconds(int threads, int series) {
  using Clock = std::chrono::steady_clock;
  constexpr int regions = 100;
  if (threads <= 1) return 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (int s = 0; s < std::max(1, series); ++s) {
    const Clock::time_point start = Clock::now();
    for (int r = 0; r < regions; ++r) {
#pragma omp parallel num_threads(threads)
      asm volatile("" : : : "memory");  // nobody may drop the region
    }
    shortest = std::min(shortest, std::chrono::duration<double>(Clock::now() - start).count());
  }
  return shortest / regions;
}

}  // namespace sparsecast::base

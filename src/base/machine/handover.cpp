#include "base/machine/handover.hpp"

#include <omp.h>
#include <algorithm>
#include <atomic>
#include <limits>
#include <thread>

#include "base/clock.hpp"
#include "base/team.hpp"

namespace sparsecast::base {
double handover_seconds(int threads, int series) {
  constexpr int handovers = 4000;
  constexpr int looks_before_yield = 1 << 12;
  if (threads <= 1 || team_of(threads) <= 1) return 0;
  double shortest = std::numeric_limits<double>::infinity();
  for (int s = 0; s < std::max(1, series); ++s) {
    std::atomic<int> turn{0};
    double seconds = 0;
    // Between neighbours; where the system gives one thread alone, there is nobody to wait for.
#pragma omp parallel num_threads(2)
    {
      const int mine = omp_get_thread_num(), all = omp_get_num_threads();
      const double start = now_s();
      for (int i = mine; all == 2 && i < handovers; i += 2) {
        for (int looks = 0; turn.load(std::memory_order_acquire) != i; ++looks)
          if (looks > looks_before_yield) std::this_thread::yield();
        turn.store(i + 1, std::memory_order_release);
      }
      if (mine == 0) seconds = now_s() - start;
    }
    shortest = std::min(shortest, seconds);
  }
  return shortest / handovers;
}
}  // namespace sparsecast::base

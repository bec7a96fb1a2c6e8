#include "base/machine/core_speed.hpp"

#include <algorithm>
#include <cstdint>
#include <limits>

#include "base/clock.hpp"

namespace sparsecast::base {
double core_step_seconds(int chains) {
  constexpr int steps = 10000;
  [[maybe_unused]] static volatile std::uint64_t kept;  // nobody may drop the chain
  double shortest = std::numeric_limits<double>::infinity();
  for (int c = 0; c < std::max(1, chains); ++c) {
    std::uint64_t x = static_cast<std::uint64_t>(c) + 1;
    const double start = now_s();
    // Knuth's linear congruential generator: each step waits for the one before.
    for (int i = 0; i < steps; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
    kept = x;
    shortest = std::min(shortest, now_s() - start);
  }
  return shortest / steps;
}
}  // namespace sparsecast::base

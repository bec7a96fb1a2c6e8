#pragma once
// What a core takes for the steps that terms are made of, as far as a profile tells: out of the chase through its
// caches ("latency") where it was measured, else by its clock. Priors of costs that are fitted, and costs themselves
// where nothing is fitted.

#include <sparsecast/profile.hpp>

namespace sparsecast::forecast {
struct CoreCosts {
  explicit CoreCosts(const Profile& profile);

  double load_s;              ///< from the first cache, where the next load waits for it
  double cycle_s;             ///< an instruction and those beside it
  double turn_s;              ///< a loop begun, a wait for the second cache: two such loads
  double far_s;               ///< a line from memory
  double fresh_byte_s;        ///< a byte of memory that is touched for the first time
  double fresh_large_byte_s;  ///< the same in huge pages
};
}  // namespace sparsecast::forecast

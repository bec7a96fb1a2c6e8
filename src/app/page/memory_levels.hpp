#pragma once
// What a device reads from each level of its memory, as a few numbers.

#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

namespace sparsecast::app {
struct MemoryLevel {
  std::string name;        ///< "L1", …, "memory"
  double bytes;            ///< that fit it, over all threads; 0 where it is not known
  double bytes_per_s = 0;  ///< read from it
};

/// From the bandwidth that the calibration measured over footprints; by its data sheet the memory alone. Levels that
/// nothing was measured in are left out.
std::vector<MemoryLevel> memory_levels(const Profile& profile, int threads);
}  // namespace sparsecast::app

#include "memory_traffic/run/iterations.hpp"

namespace sparsecast::memory_traffic {
void put_iterations(ProgramTraffic& traffic) {
  for (RegionTraffic& region : traffic.regions) {
    const double count = iterations_of(region);
    region.per_iteration.reset();
    if (count <= 0) continue;
    region.per_iteration = {count, region.loop_line, region.load_bytes / count, region.store_bytes / count, {}};
    if (region.seconds) region.per_iteration->seconds = *region.seconds / count;
  }
}
}  // namespace sparsecast::memory_traffic

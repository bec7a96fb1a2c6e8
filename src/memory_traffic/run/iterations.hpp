#pragma once
// Figures of a region by iteration: of one turn of its loop, or of one call.

#include <sparsecast/program_traffic.hpp>

namespace sparsecast::memory_traffic {
/// By what figures per iteration are divided: the turns of its loop, or its calls where it has none and is called
/// several times; 0 where neither is one thing that repeats.
inline double iterations_of(const RegionTraffic& region) {
  return region.loop_line > 0 ? region.turns : region.calls > 1 ? region.calls : 0;
}
/// Fills per_iteration of every region that has such a thing.
void put_iterations(ProgramTraffic& traffic);
}  // namespace sparsecast::memory_traffic

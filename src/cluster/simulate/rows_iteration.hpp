#pragma once
// One iteration of l1dr on a simulated cluster, without SimGrid: the same steps and messages as rank/iteration.hpp's
// LocalIteration, on links shared as SimGrid shares them (shared_links.hpp). For matrices whose ranks send each other
// so many messages at once that SimGrid, which shares out among all of them anew for each, would take hours.

#include <vector>

#include "cluster/features/simulated_load.hpp"
#include "cluster/simulate/shared_links.hpp"

namespace sparsecast::cluster {
/// Seconds of an iteration, the slowest rank's, over so many in a row. Ranks fill nodes in order.
double rows_iteration_seconds(const NodeLinks& links, int ranks_per_node, const std::vector<SimulatedLoad>& loads,
                              int iterations);
}  // namespace sparsecast::cluster

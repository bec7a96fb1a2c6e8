#pragma once
// Simulating a cluster that is not here: every local product is timed on this machine, one core at a time, and the rank
// program runs its iterations under SimGrid with those times and its true messages. Where the platform file tells of a
// node's cache and memory bandwidth, its ranks share them. What is not in it: the operating system's noise, another
// processor's speed.

#include <vector>

#include "cluster/features/rank_timing.hpp"
#include "cluster/features/scheme_features.hpp"
#include "cluster/launch/measure.hpp"

namespace sparsecast::cluster {
struct Simulation {
  std::vector<ClusterMeasurement> cases;  ///< of a simulated origin
  std::vector<SchemeFeatures> features;   ///< one per scheme in the order of first appearance; only with kept_blocks
  std::vector<TimedBlock> blocks;
};

/// options.launch.platform names the platform file. All times but those of the local products are simulated.
Simulation simulate_matrix(const Matrix& matrix, const MeasureOptions& options, const SimulateOptions& how);
}  // namespace sparsecast::cluster

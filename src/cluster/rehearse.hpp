#pragma once
// Rehearsing a cluster that is not here: every local product is timed on this machine, one core at a time, and the rank
// program runs its iterations under SimGrid with those times and its true messages. What is not in it: the cores of a
// node disturbing each other in shared caches and memory, the operating system's noise, another processor's speed.

#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "cluster/block_features.hpp"
#include "cluster/block_timing.hpp"
#include "cluster/measure.hpp"
#include "core/progress.hpp"

namespace sparsecast::cluster {

/// A local product that was timed: what the core models are fitted to.
struct TimedBlock {
  LocalFormat format = LocalFormat::csr;
  BlockFeatures features;
  double seconds = 0;
};

struct RehearseOptions {
  int most_timed_blocks =
      1 << 20;  ///< 2du: times only so many blocks, evenly spread; the others take the times of those
  BlockTiming timing{0.0002, 4};
  int passes =
      3;  ///< over all blocks; the least of a block's times counts, since what disturbs one pass is over in the next
  int kept_blocks = 0;  ///< return so many timed blocks per way and format, and the features of every way
  CacheShare caches;
};

struct Rehearsal {
  std::vector<ClusterMeasurement> cases;  ///< source "simulated:<platform>"
  std::vector<WayFeatures> features;      ///< one per way in the order of first appearance; only with kept_blocks
  std::vector<TimedBlock> blocks;
};

/// options.launch.platform names the platform file. All times but those of the local products are simulated.
Rehearsal rehearse_matrix(const Matrix& matrix, const MeasureOptions& options, const RehearseOptions& how);

}  // namespace sparsecast::cluster

#pragma once
// Calibrating a cluster: node curves, message patterns over sizes and process counts, timed local products, training
// runs; or the same on a simulated platform. About four minutes on a small machine.

#include <sparsecast/device.hpp>

#include "cluster/features/rank_timing.hpp"
#include "cluster/launch/job.hpp"

namespace sparsecast::cluster {
struct CalibrateOptions {
  Launch launch;  ///< launch.platform not empty: on that platform
  std::filesystem::path scratch;
  std::vector<int> processes{1, 2, 4};
  std::string name;
  int cores_per_node = 0;  ///< 0: the cores of this machine, or of the platform's hosts
  std::uint64_t seed = 1;
  std::optional<ClusterProfile>
      begun;  ///< an interrupted calibration of the same cluster: what it holds is not taken again
  /// A look, not a basis for decisions: fewer training matrices, and what is not done after limit_s is left out.
  bool quick = false;
  /// As many training matrices as the paper, and the regression's whole grid: the better part of an hour.
  bool full = false;
  double limit_s = 110;                ///< with quick; real processes only
  double limit_beside_profile_s = 38;  ///< the same where this host was calibrated: its profile knows products
  base::ProgressFunction progress;
  /// Called with what there is after every step, so that an interrupted calibration is not lost. May be empty.
  std::function<void(const ClusterProfile&)> keep;
};

ClusterProfile calibrate_cluster(const CalibrateOptions& options);

// Simulating a cluster that is not here: every local product is timed on this machine, one core at a time, and the rank
// program runs its iterations under SimGrid with those times and its true messages. Where the platform file tells of a
// node's cache and memory bandwidth, its ranks share them. What is not in it: the operating system's
// noise, another processor's speed.

struct Simulation {
  std::vector<ClusterMeasurement> cases;  ///< source "simulated:<platform>"
  std::vector<SchemeFeatures> features;   ///< one per scheme in the order of first appearance; only with kept_blocks
  std::vector<TimedBlock> blocks;
};

/// options.launch.platform names the platform file. All times but those of the local products are simulated.
Simulation simulate_matrix(const Matrix& matrix, MeasureOptions options, const SimulateOptions& how);

/// A node of a platform file, on which blocks that are timed here will run: alone a rank reads as fast as here; beside
/// others it has its share of the platform's cache and memory bandwidth. Without those in the file the curves are this
/// host's for a single rank, and nothing is shared.
NodeCurves node_on(const Platform& platform, NodeCurves host);

/// Curves over busy cores as curves over busy ranks that have so many threads each.
std::vector<BandwidthCurve> of_ranks(const std::vector<BandwidthCurve>& of_cores, int threads);

/// Curves of this host for so many ranks: as `sparsecast calibrate` measured them, or measured in about so many
/// seconds.
NodeCurves known_node(int cores, double seconds);

/// What the cores of a rank, so many of `cores` busy ones, have of a node's caches.
CacheShare cache_share(const DeviceProperties& node, int cores, int threads);
}  // namespace sparsecast::cluster

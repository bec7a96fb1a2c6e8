#pragma once
// Calibrating a cluster: node curves, message patterns over sizes and process counts, timed local products, training
// runs; or the same on a simulated platform. About four minutes on a small machine.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/progress.hpp"
#include "cluster/cluster_profile.hpp"
#include "cluster/launch/launcher.hpp"

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
}  // namespace sparsecast::cluster

#pragma once
// ClusterProfile: what was measured on one cluster (or simulated on a platform file), nothing fitted: curves of one
// node, times of message patterns, timed local products and training runs. The models are fitted wherever it is opened.

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "cluster/features/block_timing.hpp"
#include "cluster/features/scheme_features.hpp"
#include "cluster/message_pattern.hpp"
#include "cluster/node_curves.hpp"
#include "cluster/origin.hpp"

namespace sparsecast::cluster {
/// One message pattern timed on so many processes.
struct MessageTime {
  MessagePattern pattern = MessagePattern::bcast;
  int processes = 1, nodes = 1;
  double bytes = 0;
  int neighbours = 0;
  double seconds = 0;
  double handover_s = 0;  ///< state of the cores of two processes (rank/handover_probe.hpp); 0: not told
};

/// One iteration of a training matrix.
struct TrainingRun {
  std::string matrix;
  bool random = false;  ///< a random matrix of the linear model, which is fitted to these alone
  LocalFormat format = LocalFormat::csr;
  int nodes = 1;
  double seconds = 0, core_s = 0;
  SchemeFeatures features;  ///< thinned to the most_kept_ranks heaviest ranks

  /// Of its products by the node's own profile; 0: not known.
  [[nodiscard]] double node_seconds() const { return features.node_s[static_cast<std::size_t>(format)]; }
};
inline constexpr std::size_t most_kept_ranks = 16;

/// Parameters of the paper's regression for one scheme, format and process count, where calibration searched its whole
/// grid for them.
struct RegressionChoice {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
  int processes = 1;
  double c = 8, gamma = 0.1, epsilon = 0.01;
};

/// On how many nodes so many processes were, where that is not what ClusterProfile::nodes() takes them for.
struct Placed {
  int processes = 1, nodes = 1;
};

/// Processes fill nodes in order. In this form no count overflows.
constexpr int nodes_for(int processes, int cores_per_node) {
  return processes / cores_per_node + (processes % cores_per_node > 0 ? 1 : 0);
}
/// Processes, and cores of a node, that a profile may speak of: as many as the commands take.
inline constexpr int most_processes = 65536;
inline constexpr const char* cluster_profile_schema = "sparsecast/cluster-profile/1";

struct ClusterProfile {
  std::string name;
  std::string source{measured_origin};  ///< or simulated_origin()
  std::string launcher, software, taken;
  bool complete = true;    ///< false: the calibration was interrupted, or ended by its time limit
  int cores_per_node = 1;  ///< ranks that fit a node: a core each, or as many cores as they have threads
  int threads = 1;         ///< of each rank
  CacheShare caches;
  NodeCurves node;
  std::vector<MessageTime> messages;
  std::vector<TimedBlock> blocks;
  std::vector<TrainingRun> runs;
  std::vector<Placed> placed;  ///< by processes; empty: all were as nodes() says, or that is not known
  /// Numbers of processes whose messages were cut off by a time limit; `messages` may hold the first of them.
  std::vector<int> cut_messages;
  std::vector<RegressionChoice>
      regressions;  ///< may be empty: then a part of the grid is searched when it is asked for

  [[nodiscard]] int nodes(int processes) const { return nodes_for(processes, cores_per_node); }
};

/// What is to be said of times of so many processes, which were on other nodes than they are taken for; empty: nothing.
std::string remark_on_places(const ClusterProfile& profile, int processes);

/// Error bad_input with the file, the path within it (as in node.bandwidth[0].rate) and the reason where anything is
/// missing, of another length than what belongs to it, or beyond all measure.
ClusterProfile read_cluster_profile(const std::filesystem::path& file);
/// The same of its text; `file` is named in messages.
ClusterProfile cluster_profile_from_text(std::string_view text, const std::string& file);
/// Replaces the file only once all is written.
void write_cluster_profile(const ClusterProfile& profile, const std::filesystem::path& file);
}  // namespace sparsecast::cluster

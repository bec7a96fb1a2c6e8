#pragma once
// ClusterProfile: what was measured on one cluster (or simulated on a platform file), nothing fitted: curves of one
// node, times of message patterns, timed local products and training runs. The models are fitted wherever it is opened.

#include <filesystem>
#include <sparsecast/matrix_spec.hpp>

#include "cluster/features/block_features.hpp"

namespace sparsecast::cluster {
/// STREAM-like triad: bytes/s of each process while `busy` of them run, over the bytes of its three arrays.
struct BandwidthCurve {
  int value_bytes = 8;  ///< 4: single, 8: double precision
  int busy = 1;
  std::vector<double> bytes, rate;
};

/// One dependent load within a ring of so many bytes.
struct LatencyCurve {
  std::vector<double> bytes, seconds;
};

struct NodeCurves {
  std::vector<BandwidthCurve> bandwidth;
  LatencyCurve latency;
  double fma_s = 0;  ///< one fused multiply-add with the pipeline full
};

/// One message pattern timed on so many processes (rank/rank_main.cpp lists the patterns).
struct MessageTime {
  std::string pattern;
  int processes = 1, nodes = 1;
  double bytes = 0;
  int neighbours = 0;
  double seconds = 0;
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

/// Processes fill nodes in order. In this form no count overflows.
constexpr int nodes_for(int processes, int cores_per_node) {
  return processes / cores_per_node + (processes % cores_per_node > 0 ? 1 : 0);
}
/// Processes, and cores of a node, that a profile may speak of: as many as the commands take.
inline constexpr int most_processes = 65536;
inline constexpr const char* cluster_profile_schema = "sparsecast/cluster-profile/1";

struct ClusterProfile {
  std::string name;
  std::string source = "measured";  ///< or "simulated:<platform>"
  std::string launcher, software, taken;
  bool complete = true;    ///< false: the calibration was interrupted, or ended by its time limit
  int cores_per_node = 1;  ///< ranks that fit a node: a core each, or as many cores as they have threads
  int threads = 1;         ///< of each rank
  CacheShare caches;
  NodeCurves node;
  std::vector<MessageTime> messages;
  std::vector<TimedBlock> blocks;
  std::vector<TrainingRun> runs;
  std::vector<RegressionChoice>
      regressions;  ///< may be empty: then a part of the grid is searched when it is asked for

  [[nodiscard]] int nodes(int processes) const { return nodes_for(processes, cores_per_node); }
};

/// Error bad_input with the file, the path within it (as in node.bandwidth[0].rate) and the reason where anything is
/// missing, of another length than what belongs to it, or beyond all measure.
ClusterProfile read_cluster_profile(const std::filesystem::path& file);
/// The same of its text; `file` is named in messages.
ClusterProfile cluster_profile_from_text(std::string_view text, const std::string& file);
/// Replaces the file only once all is written.
void write_cluster_profile(const ClusterProfile& profile, const std::filesystem::path& file);

/// Kinds of every structure, for the regression and for our own model.
std::vector<MatrixSpec> training_matrices(bool large);
/// Every second of them and, of the small ones, one mesh beyond all caches.
std::vector<MatrixSpec> quick_matrices(bool large);
/// As many as the paper trained its regression on, ninety: those and further sizes and row lengths of the same kinds.
std::vector<MatrixSpec> ninety_matrices(bool large);

/// Random matrices of the linear model (Hossain & Saule, section III-A): a few numbers of rows per block of a p × p
/// grid, each with 1, 2, 4 … 128 non-zeros per row as far as most_nonzeros allows.
std::vector<MatrixSpec> linear_matrices(int grid_side, bool large);

// What the ranks of one node cost each other: they share its last-level cache and its memory bandwidth, so that a
// product whose data lie beyond a core's own caches reads them more slowly while others work beside it.

/// Bytes/s that each of several busy ranks reads, from the curves of a node.
class NodeRates {
 public:
  explicit NodeRates(const NodeCurves& node);
  /// Ranks whose data take so many bytes each; 0 where no curve is known. Between two counts of busy ranks the time of
  /// a byte is interpolated; more ranks than were measured share what the most of them had together.
  [[nodiscard]] double rate(int busy, double footprint) const;

 private:
  std::vector<BandwidthCurve> curves_;  ///< in double precision, by busy ranks
};

/// Seconds that a product takes longer with `busy` ranks on its node than alone; 0 for one that stays in a core's own
/// caches.
double sharing_seconds(const BlockFeatures& block, LocalFormat format, const NodeRates& rates, const CacheShare& caches,
                       int busy);

/// Ranks beside one another on a full node.
constexpr int busy_ranks(int processes, int cores_per_node) {
  return processes < cores_per_node ? processes : cores_per_node;
}
}  // namespace sparsecast::cluster

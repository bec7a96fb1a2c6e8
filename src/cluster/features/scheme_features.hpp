#pragma once
// What the models know of a matrix on P processes in one scheme: the blocks of its ranks and their messages.

#include <array>
#include <cstdint>
#include <vector>

#include "cluster/features/block_features.hpp"
#include "cluster/features/rank_parts.hpp"

namespace sparsecast::cluster {
/// One rank of one scheme: its local products and its messages.
struct RankFeatures {
  BlockFeatures own, remote;
  double received = 0, sent = 0;  ///< entries of x, l1dr only
  int sources = 0;                ///< ranks that they come from
};

/// What the messages load most, in l1dr but for gathered_bytes: ranks of the same node are near, others far.
struct MessageLoad {
  double messages = 0;        ///< most messages that one rank receives
  double near_bytes = 0;      ///< most bytes that one rank receives from its own node
  double far_bytes = 0;       ///< … from other nodes
  double node_bytes = 0;      ///< most bytes that all ranks of one node together receive from other nodes
  double gathered_bytes = 0;  ///< g1dr: what one rank waits for until it has all of x (longest_exchange)
};

/// Numbers in SchemeFeatures::attributes.
constexpr std::size_t attribute_count(Scheme scheme) { return scheme == Scheme::local_rows ? 9 : 5; }

/// Everything a cluster model may know of a matrix on P processes in one scheme.
struct SchemeFeatures {
  Scheme scheme = Scheme::local_rows;
  int processes = 1;
  std::int64_t rows = 0, nonzeros = 0;  ///< of the whole matrix
  double row_std = 0;                   ///< deviation of the non-zeros per row
  std::vector<RankFeatures> ranks;
  MessageLoad load;
  std::vector<double> attributes;  ///< of the paper's regression (section III-B), in its order; four more for l1dr
  /// By LocalFormat: seconds of the slowest rank's product by the node's own profile (node_time.hpp); 0: not known.
  std::array<double, 2> node_s{};
  Precision precision = Precision::double_;  ///< of values, vectors and messages
  double handover_s = 0;  ///< state of the cores of two processes (rank/handover_probe.hpp); 0: not told

  /// The heaviest ranks alone, which decide the time of an iteration; attributes and load stay those of all.
  [[nodiscard]] SchemeFeatures thinned(std::size_t ranks_kept) const;
};
/// Ranks fill nodes in order, cores_per_node on each. From 64 processes on the reuse of x is simulated for one in so
/// many ranks that 32 to 63 are; the ranks between them take their share of misses.
SchemeFeatures scheme_features(const Matrix& matrix, Scheme scheme, const Placement& placement,
                               const CacheShare& caches, int cores_per_node, Precision precision = Precision::double_);
}  // namespace sparsecast::cluster

#pragma once
// Seconds of one rank's local product: on a core of its own from the blocks that were timed, a sum of costs with
// coefficients fitted per format, all of them non-negative; and what the ranks beside it on its node cost it
// (node_sharing.hpp).

#include <map>
#include <vector>

#include "cluster/cluster_profile.hpp"
#include "cluster/node_sharing.hpp"

namespace sparsecast::cluster {
class CoreModel {
 public:
  explicit CoreModel(const ClusterProfile& profile);
  /// The same with the branch predictor of a model of the same machine, which is not searched again.
  CoreModel(const ClusterProfile& profile, const CoreModel& like);
  /// While the rest of the node is idle. 0 for a block without rows.
  [[nodiscard]] double seconds(const BlockFeatures& block, LocalFormat format) const;
  /// With so many busy ranks on the node, this one among them.
  [[nodiscard]] double shared_seconds(const BlockFeatures& block, LocalFormat format, int busy) const;
  /// Both local products and the packing of one rank.
  [[nodiscard]] double rank_seconds(const RankFeatures& rank, LocalFormat format, int busy) const;
  /// Packing and the remote product alone: what one rank does before its messages leave and after others' came.
  [[nodiscard]] double seconds_around_messages(const RankFeatures& rank, LocalFormat format, int busy) const;
  /// Of the slowest of the ranks, all of which are busy.
  [[nodiscard]] double slowest(const SchemeFeatures& features, LocalFormat format) const;
  [[nodiscard]] double slowest_around_messages(const SchemeFeatures& features, LocalFormat format) const;

 private:
  CacheShare caches_;
  NodeRates rates_;
  int cores_per_node_;
  struct Fit {
    std::vector<double> coefficients;
    double learned_bits =
        0;             ///< information in row lengths that the branch predictor remembers from product to product
    double error = 0;  ///< mean relative error over the blocks it was fitted to, the worst tenth left out
  };
  std::map<LocalFormat, Fit> fits_;

  [[nodiscard]] Fit fitted(const std::vector<const TimedBlock*>& blocks, LocalFormat format, double learned) const;

  using SecondsOfRank = double (CoreModel::*)(const RankFeatures&, LocalFormat, int) const;
  [[nodiscard]] double slowest_of(const SchemeFeatures& features, LocalFormat format, SecondsOfRank seconds_of) const;
  [[nodiscard]] std::vector<double> terms(const BlockFeatures& block, LocalFormat format, double learned_bits) const;
};
}  // namespace sparsecast::cluster

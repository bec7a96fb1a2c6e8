#pragma once
// Seconds of one rank's local product: on a core of its own from the blocks that were timed, a sum of costs with
// coefficients fitted per format, all of them non-negative; and what the ranks beside it on its node cost it
// (cluster_profile.hpp).

#include <map>
#include <span>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
// Least squares with coefficients that cannot be negative (times are sums of costs), in relative errors, drawn towards
// a prior where the data say little.

/// c ≥ 0 that minimises Σ_i ((Σ_j c_j·rows[i][j] − y_i) / y_i)² + pull · Σ_j ((c_j − prior_j)·s_j)² + stiffness² · Σ_j
/// (c_j / prior_j − 1)², where s_j is the mean share of term j in y: the last sum holds a term that no row knows much
/// of (only those with a prior). `prior` has one entry per term. Coordinate descent; deterministic. The prior without
/// rows.
std::vector<double> fit_nonnegative(const std::vector<std::vector<double>>& rows, std::span<const double> y,
                                    std::span<const double> prior, double pull, double stiffness = 0);

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

// Two forecasts of the same product, one from blocks that were timed for the cluster and one by the node's own profile:
// the training runs show how much of each to take.

/// One training run: seconds of its products and the two forecasts, neither of which saw it.
struct BlendSample {
  double measured = 0, by_blocks = 0, by_node = 0;
};

/// by_blocks^(1 − weight) · (scale · by_node)^weight.
struct NodeBlend {
  double weight = 0;  ///< 0: the timed blocks alone
  double scale = 1;   ///< of the profile's forecasts, which are of another program's products
  [[nodiscard]] double seconds(double by_blocks, double by_node) const;
};

/// The node's forecast by its median factor; of many samples the weight, in quarters, whose median error is clearly
/// less. Samples without one of the three times do not count; of fewer than three nothing is learned.
NodeBlend fit_blend(std::span<const BlendSample> samples);
}  // namespace sparsecast::cluster

#pragma once
// What one node of a described cluster computes in an iteration. All its ranks work at once: their blocks are put
// together as one matrix, whose product with as many threads shares caches and bandwidth as the ranks do, and the
// forecast of that product by the node's profile or data sheet is taken. The slowest rank has more than its share.

#include "cluster/features/block_features.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast::cluster {
struct NodeTime {
  double seconds = 0, low_s = 0, high_s = 0;
};

class NodeForecast {
 public:
  /// `ranks` of them on every node, a core for each of their threads. Error as of ModelSet; usage for a device that is
  /// no processor.
  NodeForecast(const Profile& node, int ranks, const std::string& model = "best", int threads_per_rank = 1,
               Precision precision = Precision::double_);
  /// Of the node with the most work; nullopt where the profile says nothing of the format.
  [[nodiscard]] std::optional<NodeTime> seconds(const Matrix& matrix, Scheme scheme, const Placement& placement,
                                                const SchemeFeatures& features, LocalFormat format);
  /// The same of what the ranks of a node multiply together, of which the slowest has so many times its share.
  [[nodiscard]] std::optional<NodeTime> seconds(const Structure& structure, LocalFormat format, double slowest = 1);

 private:
  int ranks_;
  forecast::ModelSet models_;
  // The structure of the node's matrix is the same for both formats.
  struct Last {
    Scheme scheme;
    int processes;
    Structure structure;
  };
  std::optional<Last> last_;
};

/// The blocks of ranks first … last − 1 one after the other: each has rows and columns of its own. Where a rank holds
/// all of x (g1dr), so many ranks share their columns that they stay below `most_columns`.
Matrix node_matrix(const Matrix& matrix, Scheme scheme, const Placement& placement, int first, int last,
                   std::int64_t most_columns = std::int64_t{1} << 26);

// The products of a cluster's ranks by the profile that `sparsecast calibrate` made of this host, which stands for the
// cluster's nodes: one forecaster of single products for both. A model of the cluster takes them by a factor of its
// training runs, or weighs them against timed blocks (models/forecast.hpp).

class OwnNode {
 public:
  /// So many ranks fill a node. Knows nothing where the host was not calibrated.
  explicit OwnNode(int ranks_per_node, int threads_per_rank = 1, Precision precision = Precision::double_);
  [[nodiscard]] bool is_known() const { return profile_.has_value(); }
  /// Sets features.node_s of every format that the profile knows; leaves 0 of the others.
  void tell(SchemeFeatures& features, const Matrix& matrix, const Placement& placement);

 private:
  int ranks_per_node_, threads_;
  Precision precision_;
  std::optional<Profile> profile_;
  std::map<int, std::unique_ptr<NodeForecast>> by_ranks_;  ///< null: no records of so many threads

  NodeForecast* of_ranks(int ranks);
};
}  // namespace sparsecast::cluster

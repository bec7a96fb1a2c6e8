#pragma once
// What one node of a described cluster computes in an iteration. All its ranks work at once: their blocks are put
// together as one matrix, whose product with as many threads shares caches and bandwidth as the ranks do, and the
// forecast of that product by the node's profile or data sheet is taken. The slowest rank has more than its share.

#include <cstdint>
#include <optional>
#include <string>

#include "cluster/features/scheme_features.hpp"
#include "forecast/model_set.hpp"

namespace sparsecast::cluster {
struct NodeTime {
  double seconds = 0, low_s = 0, high_s = 0;
};

class NodeForecast {
 public:
  /// `ranks` of them on every node, a core for each of their threads. `starts_teams`: what a rank of several threads
  /// pays to start them for every product counts; features of calibrated clusters are without it. Error as of ModelSet;
  /// usage for a device that is no processor.
  NodeForecast(const Profile& node, int ranks, const std::string& model = "best", int threads_per_rank = 1,
               Precision precision = Precision::double_, bool starts_teams = false);
  /// Of the node with the most work; nullopt where the profile says nothing of the format.
  [[nodiscard]] std::optional<NodeTime> seconds(const Matrix& matrix, Scheme scheme, const Placement& placement,
                                                const SchemeFeatures& features, LocalFormat format);
  /// The same of what the ranks of a node multiply together, of which the slowest has so many times its share.
  [[nodiscard]] std::optional<NodeTime> seconds(const Structure& structure, LocalFormat format, double slowest = 1);

 private:
  [[nodiscard]] double team_start_s(const Structure& structure, const Forecast& whole) const;

  int ranks_;
  forecast::ModelSet models_;
  bool starts_teams_;
  std::optional<forecast::ModelSet> team_;  // of the threads of one rank, where the profile has times of so few
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
}  // namespace sparsecast::cluster

#pragma once
// The paper's model of a communication (Hossain & Saule, section III-C-2): for every pattern a polynomial in the number
// of nodes, the number of processes and the message size, fitted to the micro-benchmarks. It is a polynomial of the
// logarithms, in the logarithm of the time, so that a relative error weighs the same for 8 bytes and for 4 MiB.
//
// A polynomial says anything beyond the measurements that it was fitted to: a square and a cube, fitted to two counts
// of processes, made a message between 144 take 10⁷ s. It is asked within their grid alone, has no higher degree in a
// variable than the grid tells apart, and takes neither less than the least that was measured with as few neighbours
// nor more than the most with as many. What lies beyond is the grid's edge, carried on as messages grow: bytes in
// proportion, a collective by its steps (pattern_growth).

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
class MessagePolynomials {
 public:
  explicit MessagePolynomials(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured between as many processes: between several, or on one, whose
  /// "messages" are copies and say nothing of others. `neighbours` counts for halo alone.
  [[nodiscard]] std::optional<double> seconds(MessagePattern pattern, int nodes, int processes, double bytes,
                                              double neighbours = 1) const;

 private:
  struct Range {
    double least = 0, most = 0;
  };
  struct Fit {
    std::vector<bool> used;  ///< of the monomials: those that the grid tells apart
    std::vector<double> coefficients;
    Range nodes, processes, bytes, neighbours;
    std::map<double, Range> seconds;  ///< of those that were measured with so many neighbours
    [[nodiscard]] Range seconds_with(double neighbours) const;
  };
  std::map<std::pair<MessagePattern, bool>, Fit> fits_;  // by pattern, and whether between several processes

  [[nodiscard]] static Fit fitted(const std::vector<const MessageTime*>& times);
};
}  // namespace sparsecast::cluster

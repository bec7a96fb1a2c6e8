#pragma once
// The paper's model of a communication (Hossain & Saule, section III-C-2): for every pattern a polynomial in the number
// of nodes, the number of processes and the message size, fitted to the micro-benchmarks. It is a polynomial of the
// logarithms, in the logarithm of the time, so that a relative error weighs the same for 8 bytes and for 4 MiB.

#include <map>
#include <optional>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
class MessagePolynomials {
 public:
  explicit MessagePolynomials(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured. `neighbours` counts for halo alone. Sizes beyond the measured ones
  /// are taken as the nearest measured size, scaled in proportion where larger.
  [[nodiscard]] std::optional<double> seconds(MessagePattern pattern, int nodes, int processes, double bytes,
                                              double neighbours = 1) const;

 private:
  struct Fit {
    std::vector<double> coefficients;
    double least_bytes = 0, most_bytes = 0;
  };
  std::map<MessagePattern, Fit> fits_;
};
}  // namespace sparsecast::cluster

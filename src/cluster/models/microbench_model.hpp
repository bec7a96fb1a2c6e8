#pragma once
// Times of messages out of the micro-benchmarks of a profile.

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
// Seconds of a message pattern read off the profile's measurements: interpolated in the logarithms of size and process
// count, carried on along the outermost segment beyond them.

class MessageCurves {
 public:
  explicit MessageCurves(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured. Patterns with neighbours are kept apart by their number.
  [[nodiscard]] std::optional<double> seconds(const std::string& pattern, int processes, double bytes) const;
  /// Process counts at which the pattern was measured.
  [[nodiscard]] std::vector<int> counts(const std::string& pattern) const;

 private:
  using Points = std::vector<std::pair<double, double>>;  // (bytes, seconds), ascending
  std::map<std::string, std::map<int, Points>> curves_;   // by pattern, by processes
};

/// Log-log interpolation; beyond the ends along the last segment, but never falling with size.
double along_curve(const std::vector<std::pair<double, double>>& points, double x);

// The paper's model of a communication (section III-C-2): for every pattern a polynomial in the number of nodes, the
// number of processes and the message size, fitted to the micro-benchmarks. It is a polynomial of the logarithms, in
// the logarithm of the time, so that a relative error weighs the same for 8 bytes and for 4 MiB.

class MessagePolynomials {
 public:
  explicit MessagePolynomials(const ClusterProfile& profile);
  /// nullopt where the pattern was never measured. `neighbours` counts for "halo" alone. Sizes beyond the measured ones
  /// are taken as the nearest measured size, scaled in proportion where larger.
  [[nodiscard]] std::optional<double> seconds(const std::string& pattern, int nodes, int processes, double bytes,
                                              double neighbours = 1) const;

 private:
  struct Fit {
    std::vector<double> coefficients;
    double least_bytes = 0, most_bytes = 0;
  };
  std::map<std::string, Fit> fits_;
};

}  // namespace sparsecast::cluster

#pragma once
// The two states that a profile met of two processes' cores: with a last-level cache in common, and apart.

#include <array>
#include <optional>
#include <vector>

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
class CacheStates {
 public:
  /// Of hand-overs as probes told them. Zeros, of which nothing is known, do not count.
  explicit CacheStates(std::vector<double> handovers);
  [[nodiscard]] static CacheStates of(const ClusterProfile& profile);

  /// Seconds of a hand-over with a common cache and apart, both medians; nothing where one state alone was met.
  [[nodiscard]] const std::optional<std::array<double, 2>>& met() const { return met_; }
  /// The index in met() of the state with such a hand-over; 0 where there are not two.
  [[nodiscard]] std::size_t index_of(double handover_s) const;
  /// Whether both are of one state, or one of none that is known.
  [[nodiscard]] bool alike(double one, double other) const;

 private:
  std::optional<std::array<double, 2>> met_;
  double border_ = 0;  ///< between them
};
}  // namespace sparsecast::cluster

#pragma once
// Times of messages read off the micro-benchmarks of a profile.

#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "cluster/cache_states.hpp"
#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
/// Seconds of a message pattern read off the profile's measurements: interpolated in the logarithms of size and process
/// count, carried on from the outermost point beyond them.
class MessageCurves {
 public:
  explicit MessageCurves(const ClusterProfile& profile);
  /// Of two processes with such a hand-over (CacheStates): where a size was not met in that state, as in the other
  /// beside the nearest size that was.
  MessageCurves(const ClusterProfile& profile, const CacheStates& states, double handover_s);
  /// nullopt where the pattern was never measured between several processes, or on one, as is asked. Patterns with
  /// neighbours are kept apart by their number.
  [[nodiscard]] std::optional<double> seconds(MessagePattern pattern, int processes, double bytes) const;
  /// Process counts at which the pattern was measured.
  [[nodiscard]] std::vector<int> counts(MessagePattern pattern) const;

 private:
  using Points = std::vector<std::pair<double, double>>;    // (bytes, seconds), ascending
  std::map<MessagePattern, std::map<int, Points>> curves_;  // by pattern, by processes
};

/// Log-log interpolation; beyond the last point with the slope of the last segment, but never falling, nor faster than
/// x to the power `steepest`.
double along_curve(const std::vector<std::pair<double, double>>& points, double x, double steepest = 1.5);
}  // namespace sparsecast::cluster

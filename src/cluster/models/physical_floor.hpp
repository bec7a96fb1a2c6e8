#pragma once
// What no forecast is below, whatever a model says far from what it was fitted to: a process's own product, and the
// messages that it waits for. No run of the profile is below it either.

#include "cluster/cluster_profile.hpp"

namespace sparsecast::cluster {
/// Whether any process sends anything in an iteration.
[[nodiscard]] bool sends_anything(const SchemeFeatures& features);

class PhysicalFloor {
 public:
  explicit PhysicalFloor(const ClusterProfile& profile);

  /// Of the heaviest rank's blocks: their entries at twice the best bandwidth that a process ever had, since STREAM
  /// also writes, or their multiply-adds eight at a time (the widest vectors of doubles), whichever takes longer.
  [[nodiscard]] double product_seconds(const SchemeFeatures& features, LocalFormat format) const;
  /// A message's latency and the bytes that one rank receives at the best rate ever seen between ranks; 0 where the
  /// scheme sends nothing: on one process, and in l1dr where no part needs another's x.
  [[nodiscard]] double message_seconds(const SchemeFeatures& features) const;
  /// The latency alone, 0 where nothing is sent.
  [[nodiscard]] double latency_seconds(const SchemeFeatures& features) const;
  /// The greater of the two: messages of l1dr may travel while its product runs.
  [[nodiscard]] double seconds(const SchemeFeatures& features, LocalFormat format) const;

  /// Lifts the forecast, its parts and the ends of its interval to where they are possible. Parts add up to the whole,
  /// and where something is sent the messages are not 0.
  void hold(ClusterForecast& forecast, const SchemeFeatures& features) const;

 private:
  double bytes_per_s_ = 0, fma_s_ = 0;              ///< of a process; 0: not known
  double latency_s_ = 0, message_bytes_per_s_ = 0;  ///< between ranks; 0: not known
  double share_ = 1;                                ///< of all this, that the fastest of the profile's runs leaves
};
}  // namespace sparsecast::cluster

#pragma once
// Two forecasts of the same product, one from blocks that were timed for the cluster and one by the node's own profile:
// the training runs show how much of each to take.

#include <span>

namespace sparsecast::cluster {
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

/// The node's forecast by its median factor, drawn to one; of many samples the weight, in quarters, whose median error
/// is clearly less. Samples without one of the three times do not count; of fewer than three nothing is learned.
NodeBlend fit_blend(std::span<const BlendSample> samples);
}  // namespace sparsecast::cluster

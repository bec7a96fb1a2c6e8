#include "cluster/node_sharing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>

namespace sparsecast::cluster {
namespace {
double along(const BandwidthCurve& curve, double footprint) {
  const auto above = std::ranges::lower_bound(curve.bytes, footprint);
  if (above == curve.bytes.begin()) return curve.rate.front();
  if (above == curve.bytes.end()) return curve.rate.back();
  const auto k = static_cast<std::size_t>(above - curve.bytes.begin());
  const double share = std::log(footprint / curve.bytes[k - 1]) / std::log(curve.bytes[k] / curve.bytes[k - 1]);
  return std::lerp(curve.rate[k - 1], curve.rate[k], share);
}
}  // namespace

NodeRates::NodeRates(const NodeCurves& node) {
  for (const BandwidthCurve& curve : node.bandwidth)
    if (curve.value_bytes == 8 && !curve.bytes.empty()) curves_.push_back(curve);
  std::ranges::sort(curves_, {}, &BandwidthCurve::busy);
}

double NodeRates::rate(int busy, double footprint) const {
  if (curves_.empty()) return 0;
  const auto above = std::ranges::lower_bound(curves_, busy, {}, &BandwidthCurve::busy);
  if (above == curves_.end()) return along(curves_.back(), footprint) * curves_.back().busy / busy;
  if (above == curves_.begin() || above->busy == busy) return along(*above, footprint);
  const auto below = std::prev(above);
  const double share = static_cast<double>(busy - below->busy) / (above->busy - below->busy);
  return 1 / std::lerp(1 / along(*below, footprint), 1 / along(*above, footprint), share);
}

double sharing_seconds(const BlockFeatures& block, LocalFormat format, const NodeRates& rates, const CacheShare& caches,
                       int busy) {
  const double footprint = footprint_bytes(block, format);
  const double shared = share_beyond(footprint, static_cast<double>(caches.bytes[1]));
  const double alone = rates.rate(1, footprint), together = rates.rate(busy, footprint);
  if (busy <= 1 || shared <= 0 || together <= 0 || together >= alone) return 0;
  return shared * (stored_bytes(block, format) + block.value_bytes * block.rows) * (1 / together - 1 / alone);
}
}  // namespace sparsecast::cluster

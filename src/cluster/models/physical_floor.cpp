#include "cluster/models/physical_floor.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace sparsecast::cluster {
namespace {
// The shortest time that anything is forecast to take: less than a clock tells apart.
constexpr double least_s = 1e-9;

// That the rank with most receives in one iteration, at least.
double received_bytes(const SchemeFeatures& f) {
  const auto entry = static_cast<double>(value_bytes(f.precision)), rows = static_cast<double>(f.rows);
  switch (f.scheme) {
    case Scheme::two_d_uniform:
      return entry * std::min(rows, static_cast<double>(grid_of(f.processes).block_columns(f.rows)));
    case Scheme::global_rows: return entry * rows * (f.processes - 1) / f.processes;
    case Scheme::local_rows: break;
  }
  return std::max(f.load.near_bytes, f.load.far_bytes);
}
}  // namespace

bool sends_anything(const SchemeFeatures& f) {
  return f.processes > 1 && f.rows > 0 && (f.scheme != Scheme::local_rows || f.load.messages > 0);
}

PhysicalFloor::PhysicalFloor(const ClusterProfile& profile) : fma_s_(profile.node.fma_s) {
  for (const BandwidthCurve& curve : profile.node.bandwidth)
    for (const double rate : curve.rate) bytes_per_s_ = std::max(bytes_per_s_, rate);
  // A message is half of a ping-pong; where none was measured, a collective holds one at least.
  double ping_pong = INFINITY, any = INFINITY;
  for (const MessageTime& m : profile.messages) {
    if (m.processes < 2 || !(m.seconds > 0)) continue;
    const double bytes = m.bytes * (m.pattern == MessagePattern::halo ? std::max(1, m.neighbours) : 1);
    message_bytes_per_s_ = std::max(message_bytes_per_s_, bytes / m.seconds);
    any = std::min(any, m.seconds);
    if (m.pattern == MessagePattern::ping_pong_near || m.pattern == MessagePattern::ping_pong_far)
      ping_pong = std::min(ping_pong, m.seconds);
  }
  const double latency = std::isfinite(ping_pong) ? ping_pong : any;
  if (std::isfinite(latency)) latency_s_ = latency;
  // A machine is not always as slow as while its messages were timed: what ran faster than this would allow refutes it.
  double share = 1;
  for (const TrainingRun& run : profile.runs)
    if (run.seconds > 0) share = std::min(share, run.seconds / seconds(run.features, run.format));
  share_ = share;
}

double PhysicalFloor::product_seconds(const SchemeFeatures& features, LocalFormat format) const {
  constexpr double widest = 8, beyond_stream = 2;
  double most = 0;
  for (const RankFeatures& rank : features.ranks) {
    const double bytes = stored_bytes(rank.own, format) + stored_bytes(rank.remote, format);
    const double by_bytes = bytes_per_s_ > 0 ? bytes / (beyond_stream * bytes_per_s_) : 0;
    most = std::max({most, by_bytes, (rank.own.nonzeros + rank.remote.nonzeros) * fma_s_ / widest});
  }
  return std::max(share_ * most, least_s);
}

double PhysicalFloor::latency_seconds(const SchemeFeatures& features) const {
  return sends_anything(features) ? std::max(share_ * latency_s_, least_s) : 0;
}

double PhysicalFloor::message_seconds(const SchemeFeatures& features) const {
  if (!sends_anything(features)) return 0;
  const double bytes = message_bytes_per_s_ > 0 ? received_bytes(features) / message_bytes_per_s_ : 0;
  return std::max(latency_seconds(features), share_ * bytes);
}

double PhysicalFloor::seconds(const SchemeFeatures& features, LocalFormat format) const {
  return std::max(product_seconds(features, format), message_seconds(features));
}

void PhysicalFloor::hold(ClusterForecast& f, const SchemeFeatures& features) const {
  const double floor = seconds(features, f.format);
  const bool parts = f.core_s > 0 || f.communication_s > 0;
  // A forecast that the floor refutes is not the more certain for it: above the floor it is known as before, or within
  // a factor e.
  const double above = f.seconds < floor ? std::clamp(f.high_s / f.seconds, 1.0, std::numbers::e) : 1;
  f.seconds = std::max(f.seconds, floor);
  f.low_s = std::clamp(f.low_s, floor, f.seconds);
  f.high_s = std::max(f.high_s, above * f.seconds);
  if (!parts) return;
  // What is lifted was missing in the messages, of which least is known.
  f.communication_s =
      std::clamp(std::max(f.communication_s, f.seconds - f.core_s), latency_seconds(features), f.seconds);
  f.core_s = f.seconds - f.communication_s;
}
}  // namespace sparsecast::cluster

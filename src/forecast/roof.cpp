#include "forecast/roof.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast::forecast {
using formats::Workload;

Roof::Roof(const Profile& profile, int threads, double fastest_rate, double slowest)
    : fastest_rate_(fastest_rate), slowest_(slowest) {
  const bool host = profile.properties.kind == DeviceKind::host;
  if (const Curve* curve = profile.curve("read_bandwidth", host ? std::max(1, threads) : 0);
      curve != nullptr && base::usable(*curve))
    bandwidth_ = *curve;
}

Roof::Roof(const Profile& profile, int threads, const Observations& seen, double fastest_rate)
    : Roof(profile, threads, fastest_rate, 0) {
  for (std::size_t i = 0; i < seen.size(); ++i) {
    const Workload& w = seen.workloads[i];
    if (!w.exact || w.format_bytes < constants::telling_bytes || bandwidth_.x.empty()) continue;
    slowest_ = std::max(slowest_, std::exp(seen.log_seconds[static_cast<Eigen::Index>(i)]) / streamed(w));
  }
}

// The time that its bytes and the lines of x that it fetches from memory take at the bandwidth of their size.
double Roof::streamed(const Workload& w) const {
  return (w.format_bytes + cache_line_bytes * w.misses[2]) / base::value_at(bandwidth_, w.format_bytes);
}

double Roof::least(const Workload& w) const {
  if (!(fastest_rate_ > 0)) return 0;
  return (w.exact ? w.format_bytes : w.footprint_bytes) / fastest_rate_ / constants::roof_margin;
}

double Roof::most(const Workload& w) const {
  if (!w.exact || slowest_ <= 0 || w.format_bytes < constants::telling_bytes)
    return std::numeric_limits<double>::infinity();
  return constants::roof_margin * slowest_ * streamed(w);
}
}  // namespace sparsecast::forecast

#include "forecast/physical/gather_curve.hpp"

#include <algorithm>
#include <sparsecast_constants.hpp>

#include "base/curve.hpp"
#include "forecast/physical/workload.hpp"
#include "forecast/physical/x_misses.hpp"

namespace sparsecast::forecast {
namespace {
using formats::Workload;

double cache_bytes(const DeviceProperties& properties, int level) {
  double bytes = 0;
  for (const CacheLevel& cache : properties.caches)
    if (cache.level <= level) bytes = std::max(bytes, static_cast<double>(cache.size_bytes));
  return bytes;
}
}  // namespace

ScatteredSeconds scattered_seconds(const Profile& profile, int threads) {
  ScatteredSeconds more{};
  const double own = cache_bytes(profile.properties, 2), last = cache_bytes(profile.properties, 3);
  const Curve* rate = profile.curve("gather_rate", threads);
  if (rate == nullptr || !base::usable(*rate)) {
    const Curve* read = profile.curve("read_bandwidth", threads);
    const double bandwidth = read != nullptr && base::usable(*read) ? read->y.back() : constants::core_bandwidth;
    for (std::size_t level = 0; level < more.size(); ++level) {
      const double capacity = Workload::scatter_capacity(static_cast<int>(level));
      if (capacity <= last / 2 && last / 2 < 2 * capacity) more[level] = cache_line_bytes / bandwidth;
    }
    return more;
  }
  double least = 0;  // a curve that falls again was disturbed
  for (std::size_t level = 0; level < more.size(); ++level) {
    const double capacity = Workload::scatter_capacity(static_cast<int>(level)), size = 2 * capacity;
    if (capacity < constants::near_caches * own || size > 2 * rate->x.back()) continue;
    if (least == 0) least = 1 / base::value_at(*rate, capacity);
    const double seconds = std::max(1 / base::value_at(*rate, size), least);
    double known = 1 / base::value_at(*rate, constants::near_caches * own);
    for (std::size_t below = 0; below < level; ++below)
      known += more[below] * (1 - Workload::scatter_capacity(static_cast<int>(below)) / size);
    more[level] = std::max(0.0, (seconds - known) / (1 - capacity / size));
    least = seconds;
  }
  return more;
}
}  // namespace sparsecast::forecast

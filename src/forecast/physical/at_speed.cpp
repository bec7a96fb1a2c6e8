#include "forecast/physical/at_speed.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "base/median.hpp"

namespace sparsecast::forecast {
namespace {

// Over those that tell; 0 where none does.
double median_over_records(const Profile& profile, const FitOptions& options, double Record::*told) {
  std::vector<double> values;
  for (const Record& record : profile.records)
    if (record.*told > 0 && record.precision == options.precision && record.threads == options.threads)
      values.push_back(record.*told);
  return base::median(std::move(values));
}

}  // namespace

double core_share(const DeviceProperties& properties, double bytes) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  return last > 0 ? 1 / (1 + std::pow(bytes / last, 2)) : 1;
}

double reference_step(const Profile& profile, const FitOptions& options) {
  return median_over_records(profile, options, &Record::step_s);
}

double reference_launch(const Profile& profile, const FitOptions& options) {
  return median_over_records(profile, options, &Record::launch_s);
}

double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step) {
  if (from_step <= 0 || to_step <= 0) return 1;
  return std::pow(to_step / from_step, core_share(properties, bytes));
}

}  // namespace sparsecast::forecast

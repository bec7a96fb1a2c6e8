#include "forecast/physical/at_speed.hpp"

#include <algorithm>
#include <cmath>
#include <sparsecast_constants.hpp>

#include "calibration/rounds.hpp"

namespace sparsecast::forecast {
double core_share(const DeviceProperties& properties, double bytes) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  return last > 0 ? 1 / (1 + std::pow(bytes / last, constants::memory_onset)) : 1;
}

double reference_step(const Profile& profile, const RecordSet& records) {
  return calibration::usual_of_records(profile.records, &Record::step_s, records.threads, records.precision);
}

double reference_launch(const Profile& profile, const RecordSet& records) {
  return calibration::usual_of_records(profile.records, &Record::launch_s, records.threads, records.precision);
}

double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step) {
  if (from_step <= 0 || to_step <= 0) return 1;
  return std::pow(to_step / from_step, core_share(properties, bytes));
}
}  // namespace sparsecast::forecast

#include "models/at_speed.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace sparsecast {

double core_share(const DeviceProperties& properties, double bytes) {
  double last = 0;
  for (const CacheLevel& cache : properties.caches) last = std::max(last, static_cast<double>(cache.size_bytes));
  return last > 0 ? 1 / (1 + std::pow(bytes / last, 2)) : 1;
}

double reference_step(const Profile& profile, const FitOptions& options) {
  std::vector<double> steps;
  for (const Record& record : profile.records)
    if (record.step_s > 0 && record.precision == options.precision && record.threads == options.threads)
      steps.push_back(record.step_s);
  if (steps.empty()) return 0;
  const auto middle = steps.begin() + static_cast<std::ptrdiff_t>(steps.size() / 2);
  std::ranges::nth_element(steps, middle);
  return *middle;
}

double speed_factor(const DeviceProperties& properties, double bytes, double from_step, double to_step) {
  if (from_step <= 0 || to_step <= 0) return 1;
  return std::pow(to_step / from_step, core_share(properties, bytes));
}

}  // namespace sparsecast

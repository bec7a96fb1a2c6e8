#include "forecast/memory_floor.hpp"

#include <algorithm>
#include <cmath>

#include "forecast/launch.hpp"

namespace sparsecast::forecast {
namespace {
double number(std::int64_t value) { return static_cast<double>(value); }

// What they keep from one product to the next: on a GPU the last level's, as each start empties the first's; on a
// processor all levels', since what one evicts another may hold.
double bytes_of_caches(const DeviceProperties& device) {
  const double units = std::max(1, device.compute_units);
  int last = 0;
  for (const CacheLevel& level : device.caches) last = std::max(last, level.level);
  double bytes = 0;
  for (const CacheLevel& level : device.caches)
    if (device.kind == DeviceKind::host || level.level == last)
      bytes += number(level.size_bytes) * std::ceil(units / std::max(1, level.shared_by));
  return bytes;
}

class AboveMemory final : public FittedModel {
 public:
  AboveMemory(std::unique_ptr<FittedModel> model, DeviceProperties device, Precision precision)
      : model_(std::move(model)), device_(std::move(device)), precision_(precision) {}

  [[nodiscard]] std::optional<Forecast> forecast(const Structure& structure, const std::string& kernel) const override {
    return kept(structure, model_->forecast(structure, kernel));
  }
  [[nodiscard]] std::optional<Forecast> forecast_at(const Structure& structure, const std::string& kernel,
                                                    double launch_s) const override {
    return kept(structure, model_->forecast_at(structure, kernel, launch_s));
  }

 private:
  [[nodiscard]] std::optional<Forecast> kept(const Structure& structure, std::optional<Forecast> forecast) const {
    if (forecast)
      keep_above_memory(*forecast, least_memory_seconds(device_, compulsory_bytes(structure, precision_, *forecast)));
    return forecast;
  }

  std::unique_ptr<FittedModel> model_;
  DeviceProperties device_;
  Precision precision_;
};
}  // namespace

double read_of_x(const Structure& s, Precision precision) {
  if (s.x_reuse.empty()) return 0;
  const XReuse& lines = s.x_reuse.front();  // the shortest ones: nearest to what is read
  return value_bytes(precision) * std::min(number(s.cols), number(lines.lines) * lines.elements_per_line);
}

double compulsory_bytes(const Structure& s, Precision precision, const Forecast& forecast, std::int64_t vectors) {
  constexpr double index = 4;
  const double value = value_bytes(precision);
  const double plain = (value + index) * number(s.nonzeros) + index * number(s.rows);
  const double format = std::min(plain, number(forecast.bytes.value_or(0)));
  return format + number(vectors) * (read_of_x(s, precision) + value * number(s.rows));
}

double least_memory_seconds(const DeviceProperties& device, double bytes) {
  if (device.memory_bandwidth <= 0) return 0;
  return std::max(0.0, bytes - bytes_of_caches(device)) / device.memory_bandwidth;
}

void keep_above_memory(Forecast& forecast, double least_s) {
  lift_to(forecast, least_s);
  forecast.low_s = std::max(forecast.low_s, least_s);
}

std::unique_ptr<FittedModel> never_below_memory(std::unique_ptr<FittedModel> model, const DeviceProperties& device,
                                                Precision precision) {
  return std::make_unique<AboveMemory>(std::move(model), device, precision);
}
}  // namespace sparsecast::forecast

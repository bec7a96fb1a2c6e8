#include "forecast/machines/gpu_reach.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sparsecast_constants.hpp>
#include <string>

#include "forecast/interval.hpp"

namespace sparsecast::forecast {
namespace {
constexpr int most_devices = 40;  // more tell no more

// The square of the interval's side, were so many devices off by what the kernel's are.
double squared(double own_median, double median, double own_reach, double reach, int devices, OfFewDevices what) {
  static const std::array<double, most_devices> quantiles = [] {
    std::array<double, most_devices> all{};
    for (std::size_t n = 0; n < all.size(); ++n)
      all[n] =
          student_quantile((1 + constants::interval_share) / 2, constants::devices_in_common + static_cast<double>(n));
    return all;
  }();
  const double prior = constants::devices_in_common;
  const auto drawn = [&](double own, double common) { return (prior * common + devices * own) / (prior + devices); };
  const double quantile = quantiles[static_cast<std::size_t>(devices)];
  const double scatter = what == OfFewDevices::medians ? 1 : quantile / (interval_deviations / 2);
  return quantile * quantile * drawn(own_median, median) + scatter * scatter * drawn(own_reach, reach);
}

// Not narrower than with more of such devices.
double side(double own_median, double median, double own_reach, double reach, int devices, OfFewDevices what) {
  double widest = 0;
  for (int n = std::min(devices, most_devices - 1); n < most_devices; ++n)
    widest = std::max(widest, squared(own_median, median, own_reach, reach, n, what));
  return std::max(constants::least_doubt, std::sqrt(widest));
}

// Of Student's distribution between 0 and t, by Simpson's rule over the angle whose tangent is t / √degrees.
double student_share(double t, double degrees) {
  constexpr int steps = 100;
  const double to = std::atan(t / std::sqrt(degrees));
  double sum = 0;
  for (int i = 0; i <= steps; ++i) {
    const double weight = i == 0 || i == steps ? 1 : i % 2 == 1 ? 4 : 2;
    sum += weight * std::pow(std::cos(to * i / steps), degrees - 1);
  }
  const double scale =
      std::exp(std::lgamma((degrees + 1) / 2) - std::lgamma(degrees / 2)) / std::sqrt(std::numbers::pi);
  return scale * sum * to / steps / 3;
}
}  // namespace

double beyond_boards(const DeviceProperties& board) {
  struct Most {
    double bandwidth = 0;
    int units = 0;
  };
  static const Most most = [] {
    Most all;
    for (const std::string& name : described_devices()) {
      const DeviceProperties known = describe_device(name);
      if (known.kind == DeviceKind::host) continue;
      all.bandwidth = std::max(all.bandwidth, known.memory_bandwidth);
      all.units = std::max(all.units, known.compute_units);
    }
    return all;
  }();
  return std::max({1.0, board.memory_bandwidth / (2 * most.bandwidth), board.compute_units / (2.0 * most.units)});
}

void doubt_beyond_boards(double times, Forecast& forecast) {
  if (times <= 1) return;
  forecast.extrapolated = true;
  forecast.high_s *= times;
}

double student_quantile(double p, double degrees) {
  double low = 0, high = 1;
  while (student_share(high, degrees) < p - 0.5) high *= 2;
  for (int i = 0; i < 40; ++i) {
    const double middle = (low + high) / 2;
    (student_share(middle, degrees) < p - 0.5 ? low : high) = middle;
  }
  return high;
}

DecadeIntervals interval_of_next(const GpuReach& kernel, const GpuReach& common, OfFewDevices what) {
  DecadeIntervals intervals;
  for (std::size_t i = 0; i < intervals.widths.size(); ++i) {
    const GpuReach::Squares &own = kernel.decades[i], &all = common.decades[i];
    intervals.widths[i] = {-side(own.median, all.median, own.low, all.low, kernel.devices, what),
                           side(own.median, all.median, own.high, all.high, kernel.devices, what)};
  }
  return intervals;
}
}  // namespace sparsecast::forecast

#include "forecast/machines/gpu_reach.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
namespace {
// What is drawn to what is common, and no less than it is itself.
double drawn(double own, double common, double devices) {
  const double prior = constants::devices_in_common;
  return std::max(own, (prior * common + devices * own) / (prior + devices));
}

// Of Student's distribution between 0 and t, by Simpson's rule over the angle whose tangent is t / √degrees.
double student_share(double t, double degrees) {
  constexpr int steps = 400;
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

double student_quantile(double p, double degrees) {
  double low = 0, high = 1;
  while (student_share(high, degrees) < p - 0.5) high *= 2;
  for (int i = 0; i < 60; ++i) {
    const double middle = (low + high) / 2;
    (student_share(middle, degrees) < p - 0.5 ? low : high) = middle;
  }
  return high;
}

DecadeIntervals interval_of_next(const GpuReach& kernel, const GpuReach& common) {
  const double quantile =
      student_quantile((1 + constants::interval_share) / 2, constants::devices_in_common + kernel.devices);
  DecadeIntervals intervals;
  for (std::size_t i = 0; i < intervals.widths.size(); ++i) {
    const GpuReach::Squares &own = kernel.decades[i], &all = common.decades[i];
    const double between = quantile * quantile * drawn(own.median, all.median, kernel.devices);
    intervals.widths[i].low =
        -std::max(constants::least_doubt, std::sqrt(between + drawn(own.low, all.low, kernel.devices)));
    intervals.widths[i].high =
        std::max(constants::least_doubt, std::sqrt(between + drawn(own.high, all.high, kernel.devices)));
  }
  return intervals;
}
}  // namespace sparsecast::forecast

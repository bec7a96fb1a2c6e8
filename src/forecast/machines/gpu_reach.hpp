#pragma once
// How far the forecast of a kernel may be off on a GPU that nobody measured, out of how far it was on devices left out.

#include <sparsecast/device.hpp>
#include <sparsecast/forecast.hpp>

#include "forecast/machines/decade_intervals.hpp"

namespace sparsecast::forecast {
/// What devices left out show of log(measured / forecast), by decade of non-zeros.
struct GpuReach {
  struct Squares {
    double median = 0;         ///< of a device's median, in the mean over devices
    double low = 0, high = 0;  ///< of what the device's products reach below and above it, nine tenths of them
  };
  int devices = 0;
  std::array<Squares, DecadeIntervals::decades> decades{};
};

/// What of the next device is of Student's distribution, whose degrees of freedom few devices tell: how far its median
/// is off; where its own products have settled that, how far they scatter too.
enum class OfFewDevices { medians, medians_and_products };

/// 90 % interval on the next device. A kernel's squares are drawn to what kernels have in common, as if some devices
/// had shown that. It is never narrower for a kernel seen on fewer devices that are off by as much.
DecadeIntervals interval_of_next(const GpuReach& kernel, const GpuReach& common, OfFewDevices what);

/// How many times a described board is beyond twice the bandwidth of the fastest in the catalogue, or twice the
/// multiprocessors of the largest, whichever is more; 1 within. What limits it then is not what limited those.
double beyond_boards(const DeviceProperties& board);
/// So many times beyond, a forecast is extrapolated, and its interval holds that what is beyond brings nothing.
void doubt_beyond_boards(double times, Forecast& forecast);

/// The quantile of Student's distribution, 0.5 < p < 1.
double student_quantile(double p, double degrees);
}  // namespace sparsecast::forecast

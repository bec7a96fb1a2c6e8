#pragma once
// Kernel times of a device that was calibrated: the readings of its micro-benchmarks (devices/gpu/micro_benchmarks.hpp)
// laid over the shipped table of the same compute capability. What was not measured stays as the table has it;
// `sources` says which is which.

#include <cstddef>
#include <sparsecast/kernel_forecast.hpp>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
/// The table of the profile's own board where one ships, else that of its family with the device's own limits. Error
/// unavailable where the profile is not of a CUDA device or has no micro-benchmarks; bad_input where the table lacks
/// what the profile does not tell.
[[nodiscard]] KernelTimes measured_times(const Profile& profile);

/// Only the laying over: `properties` tells how many multiprocessors shared the work. A reading whose longer run is not
/// longer is passed over.
[[nodiscard]] KernelTimes laid_over(KernelTimes table, const DeviceProperties& properties,
                                    const std::vector<MicroBenchmark>& readings);

/// What --device names: a shipped table, a table's file, a profile's file, or a calibrated device ("cuda:0").
[[nodiscard]] KernelTimes times_of_device(const std::string& name);

// Anchors: configurations of which a time is known. They move a forecast's clock and bandwidth, not its shape: the
// ratio of measured to forecast time of what is bound by memory scales the bandwidth, that of all else the clock.

// Between which times a measurement is expected: the forecast's time and how far forecasts of boards that were left out
// lay off. The widths are taken from measured tables (docs/results-kernel.md), the forecasts themselves are not.

struct ForecastInterval {
  double low_s = 0, high_s = 0;
};

/// For 90 % of configurations. `anchors`: measured configurations by which the forecast was moved.
[[nodiscard]] ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors = 0);

/// CONFIG=SECONDS of the command line: "12=0.0031", or "block_size_x=32,tile_size_x=2=0.0031". Error usage.
[[nodiscard]] KernelAnchor parse_anchor(const std::string& text);

/// A forecast beside a measurement.
struct AnchoredTime {
  double forecast_s = 0, measured_s = 0;
  bool by_memory = false;  ///< bound by a bandwidth beyond the multiprocessor
  double clock_hz = 0;     ///< that the forecast took
};

/// Whether what bounds a forecast is memory's or the second level's bandwidth.
[[nodiscard]] bool bound_by_bandwidth(const std::string& bound_by);

/// How much longer everything takes than forecast, by what bounds it.
struct AnchoredScale {
  double clock = 1, bandwidth = 1;
  std::size_t anchors = 0;
  [[nodiscard]] double of(bool by_memory) const { return by_memory ? bandwidth : clock; }
};
/// The ratio's median, by logarithms, no further than a clock can be from what the forecast took (0.9 of the board's
/// base to 1.25 of its boost clock) and a bandwidth from its table's (2/3 to 7/6), and drawn to 1 as far as so few
/// anchors say little: a board lies off by some spread, a single configuration by another, which grows with `spread`,
/// that of the forecasts to be moved. One kind without an anchor takes the other's.
[[nodiscard]] AnchoredScale anchored_scale(const KernelTimes& times, const std::vector<AnchoredTime>& anchors,
                                           double spread);
/// Standard deviation of the logarithms of forecast times.
[[nodiscard]] double forecast_spread(const std::vector<double>& forecasts);
}  // namespace sparsecast::gpu_code

#pragma once
// Between which times a measurement is expected: the forecast's time and how far forecasts of boards that were left out
// lay off. The widths are taken from measured tables (docs/results-kernel.md), the forecasts themselves are not.

#include <cstddef>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {

struct ForecastInterval {
  double low_s = 0, high_s = 0;
};

/// For 90 % of configurations. `anchors`: measured configurations by which the forecast was moved.
[[nodiscard]] ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors = 0);

}  // namespace sparsecast::gpu_code

// See forecast_interval.hpp.

#include "gpu_code/times/forecast_interval.hpp"

namespace sparsecast::gpu_code {
namespace {

/// Measured over forecast time: the 5 % and 95 % quantiles.
struct Ratios {
  double low, high;
};
constexpr Ratios plain{0.6, 1.9};
constexpr Ratios anchored{0.75, 1.45};
constexpr Ratios unverified{0.4, 2.5};

}  // namespace

ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors) {
  const auto& r = anchors > 0 ? anchored : times.verified ? plain : unverified;
  return {seconds * r.low, seconds * r.high};
}

}  // namespace sparsecast::gpu_code

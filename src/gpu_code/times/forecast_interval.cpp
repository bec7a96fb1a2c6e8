// See forecast_interval.hpp.

#include "gpu_code/times/forecast_interval.hpp"

namespace sparsecast::gpu_code {
namespace {

/// Measured over forecast time. Widths are taken from measured tables of four boards; of the three others' tables, 90 %
/// of a left-out board's configurations lay within (docs/results-kernel.md has them board by board).
struct Ratios {
  double low, high;
};
constexpr Ratios plain{0.58, 1.41};     // 3 % and 97 % quantiles
constexpr Ratios anchored{0.64, 1.54};  // 5 % and 95 % quantiles, over one anchor at a time
constexpr Ratios unverified{0.4, 2.5};  // assumed: a family of which no measurement had a part in its tables

}  // namespace

ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors) {
  const auto& r = anchors > 0 ? anchored : times.verified ? plain : unverified;
  return {seconds * r.low, seconds * r.high};
}

}  // namespace sparsecast::gpu_code

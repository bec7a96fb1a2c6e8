// See forecast_interval.hpp.

#include "gpu_code/times/forecast_interval.hpp"

namespace sparsecast::gpu_code {
namespace {

/// Measured over forecast time: 90 % of a normal law of logarithms whose spread is that of boards (0.16) and that of
/// configurations around their board (0.18), both from measured tables of four boards. Of a board that was left out of
/// that 75 to 100 % of a table's rows lay within, 90 % of all (docs/results-kernel.md has them board by board).
struct Ratios {
  double low, high;
};
constexpr Ratios plain{0.68, 1.48};
constexpr Ratios anchored{0.73, 1.37};  // the same around one anchor at a time
constexpr Ratios unverified{0.4, 2.5};  // assumed: a family of which no measurement had a part in its tables

}  // namespace

ForecastInterval forecast_interval(const KernelTimes& times, double seconds, std::size_t anchors) {
  const auto& r = anchors > 0 ? anchored : times.verified ? plain : unverified;
  return {seconds * r.low, seconds * r.high};
}

}  // namespace sparsecast::gpu_code

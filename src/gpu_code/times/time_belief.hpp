#pragma once
// What is believed of a forecast's error: between which times a measurement is expected, and how measured
// configurations (anchors) move the others' forecasts. Which clock a board ran at is not known before: boost, as
// forecasts take it, or base.

#include <optional>
#include <sparsecast/kernel_forecast.hpp>
#include <string>
#include <vector>

#include "gpu_code/times/kernel_times.hpp"

namespace sparsecast::gpu_code {
struct ForecastInterval {
  double low_s = 0, high_s = 0;
};

/// CONFIG=SECONDS of the command line: "12=0.0031", or "block_size_x=32,tile_size_x=2=0.0031". Error usage.
[[nodiscard]] KernelAnchor parse_anchor(const std::string& text);

/// A forecast beside a measurement.
struct AnchoredTime {
  double forecast_s = 0, measured_s = 0;
  bool by_memory = false;  ///< bound by memory's bandwidth, which no clock of the multiprocessors changes
};
[[nodiscard]] bool bound_by_memory(const std::string& bound_by);

/// What is believed of measured over forecast time: for each clock that may have run a normal law of its logarithm,
/// weighted by a prior and by how well the clock explains the anchors.
class TimeBelief {
 public:
  /// `spread`: of the forecasts among which the anchors were measured (forecast_spread); none for a launch alone.
  explicit TimeBelief(const KernelTimes& times, std::optional<double> spread = {},
                      const std::vector<AnchoredTime>& anchors = {});
  /// What a forecast is to be multiplied by, at the likeliest clock; 1 without anchors.
  [[nodiscard]] double scale(bool by_memory) const;
  /// For 90 % of configurations, of a forecast that is not multiplied yet.
  [[nodiscard]] ForecastInterval interval(double forecast_s, bool by_memory) const;

 private:
  [[nodiscard]] double quantile(double share, bool by_memory) const;
  struct State {
    double slower = 0;  ///< logarithm of the boost clock over this one
    double weight = 1, offset = 0, deviation = 0;
  };
  std::vector<State> states_;
};
/// Standard deviation of the logarithms of forecast times.
[[nodiscard]] double forecast_spread(const std::vector<double>& forecasts);
}  // namespace sparsecast::gpu_code

#pragma once
// Whether a machine still is as it was when its profile was measured: some products of the profile's own benchmark
// matrices are timed again and held against their records. A forecast is for the day of the calibration; where today
// differs by more than the forecasts' interval, it should say so.

#include <sparsecast/forecast.hpp>

#include "hardware/device.hpp"

namespace sparsecast::forecast {
/// A benchmark product timed again.
struct ProbedProduct {
  double recorded_s = 0, measured_s = 0;
  double half_width = 0;  ///< of its forecast's 90 % interval, in logarithms
};

struct Drift {
  int products = 0;     ///< that were timed
  double ratio = 1;     ///< median time now over the time recorded
  double interval = 0;  ///< ratio that the forecasts' intervals allow, to either side (0.1: 10 %)
  bool seen = false;
};

/// Drift is seen where the median product is outside the median interval; of fewer than three products never.
[[nodiscard]] Drift judge_drift(std::span<const ProbedProduct> products);

/// Times at most ten small products of the profile's own matrices on the device, within about half a second.
[[nodiscard]] std::vector<ProbedProduct> probe(hardware::Device& device, const Profile& profile,
                                               const FitOptions& options);

/// What was seen within the last hour of `now_s` (seconds since 1970) for this state of the profile; kept in the home
/// folder.
[[nodiscard]] std::optional<Drift> recent_drift(const Profile& profile, const FitOptions& options, double now_s);
void keep_drift(const Profile& profile, const FitOptions& options, double now_s, const Drift& drift) noexcept;

/// Whether the newest record is of the last hour: such a profile need not be probed.
[[nodiscard]] bool just_taken(const Profile& profile, double now_s);
}  // namespace sparsecast::forecast

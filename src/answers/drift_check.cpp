#include "answers/drift_check.hpp"

#include <fmt/format.h>
#include <ctime>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "calibration/observations.hpp"
#include "devices/device.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::answers {
namespace {
// Nothing where the device of that name is not here.
std::optional<DeviceProperties> present_properties(const std::string& name) try {
  return hardware::open_device(name)->properties();
} catch (const Error&) {
  return std::nullopt;
}
}  // namespace

bool remark_changes(const Profile& profile, const Listener& listener) {
  const std::optional<DeviceProperties> now = present_properties(profile.name);
  if (!now) return true;
  const std::vector<std::string> changes = calibration::changes_since(profile.properties, *now);
  if (changes.empty()) return true;
  tell(listener.remark,
       fmt::format("the profile of {} is stale ({}); `sparsecast calibrate --fresh --device {}` mends it", profile.name,
                   fmt::join(changes, "; "), profile.name));
  return false;
}

std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_products, const FitOptions& fit,
                                             const Listener& listener) {
  if (!remark_changes(profile, listener) || !with_products || profile.properties.kind != DeviceKind::host)
    return std::nullopt;
  const auto now_s = static_cast<double>(std::time(nullptr));
  if (forecast::just_taken(profile, now_s) || !forecast::has_records(profile, fit)) return std::nullopt;
  std::optional<forecast::Drift> drift = forecast::recent_drift(profile, fit, now_s);
  if (!drift) {
    const std::unique_ptr<hardware::Device> device = hardware::open_device(profile.name, fit.threads);
    drift = forecast::judge_drift(forecast::probe(*device, profile, fit));
    forecast::keep_drift(profile, fit, now_s, *drift);
  }
  if (drift->seen)
    tell(listener.remark,
         fmt::format("calibrated on another day, drift seen: {} products of {} take {:.2f} times as long as then, "
                     "beyond the forecasts' interval; `sparsecast calibrate --fresh --device {}` mends it",
                     drift->products, profile.name, drift->ratio, profile.name));
  return drift;
}

std::optional<DriftAnswer> answer_of(const std::optional<forecast::Drift>& drift) {
  if (!drift) return std::nullopt;
  return DriftAnswer{drift->seen, drift->ratio, drift->interval, drift->products};
}
}  // namespace sparsecast::answers

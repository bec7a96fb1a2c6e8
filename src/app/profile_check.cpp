#include "app/profile_check.hpp"

#include <fmt/format.h>

#include <ctime>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>

#include "app/inputs.hpp"
#include "calibration/staleness.hpp"
#include "devices/device.hpp"
#include "forecast/record_choice.hpp"

namespace sparsecast::app {
namespace {

// Nothing where the device of that name is not here.
std::optional<DeviceProperties> present_properties(const std::string& name) try {
  return devices::open_device(name)->properties();
} catch (const Error&) {
  return std::nullopt;
}

}  // namespace

bool warn_of_changes(const Profile& profile, const Globals& globals) {
  const std::optional<DeviceProperties> now = present_properties(profile.name);
  if (!now) return true;
  const std::vector<std::string> changes = calibration::changes_since(profile.properties, *now);
  if (changes.empty()) return true;
  remark(globals, fmt::format("the profile of {} is stale ({}); `sparsecast calibrate --fresh --device {}` mends it",
                              profile.name, fmt::join(changes, "; "), profile.name));
  return false;
}

std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_probe, const Globals& globals) {
  if (!warn_of_changes(profile, globals) || !with_probe || profile.properties.kind != DeviceKind::host)
    return std::nullopt;
  const FitOptions options = fit_options(profile, globals);
  const auto now_s = static_cast<double>(std::time(nullptr));
  if (forecast::just_taken(profile, now_s) || !forecast::has_records(profile, options)) return std::nullopt;
  std::optional<forecast::Drift> drift = forecast::recent_drift(profile, options, now_s);
  if (!drift) {
    const std::unique_ptr<devices::Device> device = devices::open_device(profile.name, options.threads);
    drift = forecast::judge_drift(forecast::probe(*device, profile, options));
    forecast::keep_drift(profile, options, now_s, *drift);
  }
  if (drift->seen)
    remark(globals,
           fmt::format("calibrated on another day, drift seen: {} products of {} take {:.2f} times as long as then, "
                       "beyond the forecasts' interval; `sparsecast calibrate --fresh --device {}` mends it",
                       drift->products, profile.name, drift->ratio, profile.name));
  return drift;
}

nlohmann::ordered_json drift_json(const std::optional<forecast::Drift>& drift) {
  if (!drift) return {};
  return {{"seen", drift->seen}, {"ratio", drift->ratio}, {"interval", drift->interval}, {"products", drift->products}};
}

}  // namespace sparsecast::app

#include "calibration/staleness.hpp"

#include <fmt/format.h>
#include <algorithm>

#include "base/text.hpp"
#include "calibration/rounds.hpp"

namespace sparsecast::calibration {
std::vector<std::string> changes_since(const DeviceProperties& then, const DeviceProperties& now) {
  std::vector<std::string> changes;
  const auto compare = [&](const char* what, const std::string& before, const std::string& today) {
    if (!before.empty() && !today.empty() && before != today)
      changes.push_back(fmt::format("{} {}, now {}", what, before, today));
  };
  const bool host = now.kind == DeviceKind::host;
  compare(host ? "processor" : "device", then.model, now.model);
  compare("microcode", then.microcode, now.microcode);
  if (then.compute_units > 0 && now.compute_units > 0)
    compare(host ? "cores" : "compute units", std::to_string(then.compute_units), std::to_string(now.compute_units));
  compare(host ? "built by" : "driver", then.driver, now.driver);
  return changes;
}

std::vector<std::string> changes_since(const Profile& profile, const DeviceProperties& now) {
  std::vector<std::string> changes = changes_since(profile.properties, now);
  int most = 0;  // threads
  for (const Curve& curve : profile.curves)
    if (taken_beside_others(profile, curve.threads) &&
        (most == 0 || wait_share(profile, curve.threads) > wait_share(profile, most)))
      most = curve.threads;
  if (most > 0)
    changes.push_back(fmt::format("taken while other programs used the cores: {} waited {} of the time",
                                  most == 1 ? "one thread" : fmt::format("{} threads", most),
                                  base::format_percent(wait_share(profile, most))));
  return changes;
}

DeviceProperties measured_on(DeviceProperties now, const DeviceProperties& then) {
  if (!then.microcode.empty()) now.microcode = then.microcode;
  if (!then.driver.empty()) now.driver = then.driver;
  now.compute_units = std::max(now.compute_units, then.compute_units);
  return now;
}
}  // namespace sparsecast::calibration

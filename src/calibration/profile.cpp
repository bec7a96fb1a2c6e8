#include <fmt/format.h>
#include <sparsecast/error.hpp>
#include <sparsecast/profile.hpp>

#include "calibration/shipped/stand_in.hpp"
#include "calibration/store.hpp"
#include "fields/tier.hpp"
#include "fields/wording.hpp"
#include "hardware/device.hpp"

namespace sparsecast {
const Curve* Profile::curve(std::string_view wanted, int threads) const {
  for (const Curve& curve : curves)
    if (curve.name == wanted && curve.threads == threads) return &curve;
  return nullptr;
}

Profile described_profile(DeviceProperties properties) {
  Profile profile;
  profile.name = properties.name;
  profile.properties = std::move(properties);
  profile.tier = Tier::data_sheet;
  return profile;
}

// The profile of a device out of the store, or what to do where it has none: of the host nothing.
Profile calibrated_profile(const std::string& device) {
  // Hosts may share a home: what another processor measured says less of this one than what ships.
  if (device == "host" && !calibration::kept_processor_of_another_host().empty()) return calibration::shipped_profile();
  std::optional<Profile> profile = calibration::kept_profile(device);
  if (device == "host") {
    if (!profile) return calibration::shipped_profile();
    calibration::let_stand_in(*profile);
  }
  if (profile) return std::move(*profile);
  const std::string missing = fmt::format("no measurements of the device '{}' yet", device);
  if (device.starts_with("opencl:") || device.starts_with("cuda:")) {
    // A device that is not here cannot be calibrated either: opening it tells so, and what to do.
    (void)hardware::open_device(device);
    throw Error(
        ErrorCode::failed, missing, {},
        wording::format("run {} (half a minute)", wording::ask("calibrate", {{"device", device}, {"quick", true}})));
  }
  throw Error(ErrorCode::unavailable, missing, {},
              wording::format("{} lists the profiles; {} opens another", wording::ask("profiles"),
                              wording::option("predict.profile", wording::placeholder("FILE"))));
}
}  // namespace sparsecast

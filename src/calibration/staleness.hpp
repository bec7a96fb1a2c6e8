#pragma once
// Whether a profile still speaks of the machine that it was measured on.

#include <sparsecast/device.hpp>
#include <sparsecast/profile.hpp>
#include <string>
#include <vector>

namespace sparsecast::calibration {
/// What is another now, one phrase each ("microcode 0x1, now 0x2"): processor, microcode, number of cores, driver. What
/// either side does not know, as a profile from before it was kept, is no change.
[[nodiscard]] std::vector<std::string> changes_since(const DeviceProperties& then, const DeviceProperties& now);

/// The same of a profile, and that it was taken while other programs had the cores (rounds.hpp), which is told with the
/// number of threads of which it was most.
[[nodiscard]] std::vector<std::string> changes_since(const Profile& profile, const DeviceProperties& now);

/// What a profile says of its device after more was measured into it: as the device is now, but for what its older
/// records were taken with and the new ones were not, which stays to be told. Fewer cores now are a part of them.
[[nodiscard]] DeviceProperties measured_on(DeviceProperties now, const DeviceProperties& then);
}  // namespace sparsecast::calibration

#pragma once
// Before a forecast of a device that is here: is its profile still of this device, and does the machine still run as it
// did? One line on stderr where not.

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <sparsecast/profile.hpp>

#include "app/commands.hpp"
#include "forecast/drift.hpp"

namespace sparsecast::app {

/// Warns where processor, microcode, cores or driver are others than when the profile was measured, with the command
/// that mends it. False where it did.
bool warn_of_changes(const Profile& profile, const Globals& globals);

/// The same, and for the host of a profile that is not stale a probe (forecast/drift.hpp), which says where the machine
/// has drifted. What was probed, or remembered of the last hour; nothing where none was wanted or needed.
std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_probe, const Globals& globals);

/// For documents; null for nothing.
nlohmann::ordered_json drift_json(const std::optional<forecast::Drift>& drift);

}  // namespace sparsecast::app

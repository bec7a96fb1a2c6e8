#pragma once
// Before a forecast of a device that is here: is its profile still of this device, and does the machine still run as it
// did? One remark where not.

#include <optional>
#include <sparsecast/answers/predict.hpp>

#include "forecast/drift.hpp"

namespace sparsecast::answers {
/// Remarks where processor, microcode, cores or driver are others than when the profile was measured, with the command
/// that mends it. False where it did.
bool remark_changes(const Profile& profile, const Listener& listener);

/// The same, and for the host of a profile that is not stale the drift check, which says where the machine has drifted:
/// what was timed, or remembered of the last hour; nothing where none was wanted or needed.
std::optional<forecast::Drift> check_profile(const Profile& profile, bool with_products, const FitOptions& fit,
                                             const Listener& listener);

[[nodiscard]] std::optional<DriftAnswer> answer_of(const std::optional<forecast::Drift>& drift);
}  // namespace sparsecast::answers

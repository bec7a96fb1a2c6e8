#pragma once
// What ships, scaled to this host, in the place of a calibration: the curves of the processor that is most like it,
// moved through the points of a probe.

#include <sparsecast/profile.hpp>

#include "calibration/shipped/kept_probe.hpp"
#include "calibration/shipped/shipped_processors.hpp"

namespace sparsecast::calibration {
/// This host's profile where nothing was measured: properties, curves and Profile::shipped.
[[nodiscard]] Profile shipped_profile();

/// The same for those numbers of threads, one and all, that the host's profile has no records of in double precision.
void let_stand_in(Profile& host);

/// What stood in for that host's profile.
[[nodiscard]] const ShippedProcessor& processor_like(const Profile& host);

/// The processor whose curves, freed from their level, go most nearly through the probe's points.
[[nodiscard]] const ShippedProcessor& nearest_processor(const std::vector<ShippedProcessor>& processors,
                                                        const DeviceProperties& here, const HostProbe& probe);

/// Its curves with so many threads as they would be here: footprints in relation to the caches, values by the probe's
/// points. A number of threads that was not probed is scaled as one thread is.
[[nodiscard]] std::vector<Curve> scaled_curves(const ShippedProcessor& processor, const DeviceProperties& here,
                                               const HostProbe& probe, int threads);
}  // namespace sparsecast::calibration

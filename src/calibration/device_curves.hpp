#pragma once
// The curves of a profile: measured where they are missing, and again where they do not speak of the machine.

#include "calibration/calibrate.hpp"

namespace sparsecast::calibration {
/// Whether a curve of so many threads, or a part of it, tells of waiting for another program rather than of the
/// machine: a pass takes ten times as long as one thread needs for it alone and the start of the threads together.
[[nodiscard]] bool waited_for_cores(const Profile& profile, int threads);

/// Measures the curves that the stored profile lacks, and all of the device's threads where they waited for cores. What
/// was measured before Ctrl-C is in the store. Errors: interrupted, those of the device and the store.
void complete_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// Measures all of the device's threads again, never coarser than they were.
void renew_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);

/// The curves are to speak of the same state as the records: taken again where the fork-join latency was another, and
/// never coarser than they were.
void match_curves(hardware::Device& device, Store& store, const CalibrateOptions& options);
}  // namespace sparsecast::calibration

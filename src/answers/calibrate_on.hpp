#pragma once
// A user's own matrices as benchmark matrices of a calibration.

#include <sparsecast/answers/calibrate.hpp>

#include "calibration/store.hpp"
#include "devices/device.hpp"

namespace sparsecast::answers {
/// Measures the request's matrices on the device as its benchmark matrices are, those that are least like any measured
/// before first; ends where request.minutes do. What the store has already is not measured again. Returns how many were
/// measured.
int calibrate_on(hardware::Device& device, calibration::Store& store, const CalibrateRequest& request);
}  // namespace sparsecast::answers

#pragma once
// The benchmark matrices on which a device is measured, and which kernels each of them is for. Most informative first,
// so that a calibration that is cut short is already good.

#include <sparsecast/device.hpp>

#include "calibration/plan/plan_step.hpp"

namespace sparsecast::calibration {
/// The whole plan of a device for its strips (properties.strips()).
/// `quick`: a coarse grid of small matrices, for a first look within a minute.
std::vector<PlanStep> calibration_plan(const DeviceProperties& properties, const std::vector<std::string>& kernels,
                                       Precision precision, bool quick);
}  // namespace sparsecast::calibration

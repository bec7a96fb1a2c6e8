#pragma once
// A minute on a machine instead of a calibration: the machine's description, its memory's bandwidth and its launch, and
// some dozen products of chosen matrices. What comes out is a profile of tier "probe".

#include <sparsecast/profile.hpp>

#include "base/progress.hpp"
#include "devices/device.hpp"

namespace sparsecast::calibration {
struct ProbeOptions {
  Precision precision = Precision::double_;
  int matrices = 16;
  double max_s = 45;                ///< no new matrix is begun beyond it
  base::ProgressFunction progress;  ///< told before every matrix
};

/// Nothing is written to a store. Error bad_input where the device does not tell what a forecast needs.
Profile probe_device(hardware::Device& device, const ProbeOptions& options);
}  // namespace sparsecast::calibration

#pragma once
// Twenty seconds on a machine instead of a calibration: its description and the beginning of a quick calibration, of a
// processor on one thread and on all. What comes out is a profile of tier "probe".

#include <sparsecast/profile.hpp>

#include "hardware/device.hpp"

namespace sparsecast::calibration {
struct ProbeOptions {
  Precision precision = Precision::double_;
  double max_s = 16;                ///< no new matrix is begun beyond it
  base::ProgressFunction progress;  ///< told before every matrix
};

/// Nothing is written to the user's store. Error bad_input where the device does not tell what a forecast needs.
Profile probe_device(hardware::Device& device, const ProbeOptions& options);
}  // namespace sparsecast::calibration

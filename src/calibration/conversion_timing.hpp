#pragma once
// How long a conversion takes as users meet it: once, into memory that nobody has touched yet. The system's work of
// giving out the pages is part of it, and more than half of it as a rule; a program that converts again and again finds
// the pages of the format before and is told a tenth of the time.

#include <memory>
#include <string>

#include "devices/device.hpp"

namespace sparsecast::calibration {

struct Conversion {
  std::unique_ptr<devices::Product> product;
  double seconds = 0;  ///< from CSR to the format, upload included; 0 exactly where the Matrix's own arrays are used
};

/// Converts into fresh memory. Short conversions are made several times, each in fresh memory, and the median counts.
/// Errors of Device::prepare.
[[nodiscard]] Conversion convert_fresh(devices::Device& device, const Matrix& matrix, const Structure& structure,
                                       const std::string& kernel, Precision precision,
                                       const devices::ProductTask& task = {});

}  // namespace sparsecast::calibration

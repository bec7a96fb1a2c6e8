#pragma once
// The truth on a user's matrix: every kernel of a device timed in turns. A format that would not fit is not attempted.

#include "calibration/store.hpp"

namespace sparsecast::calibration {
/// One Measurement per kernel, in the order given; status the reason, "too large: …" with the figure for one, where
/// there is no time. Nothing is written to a store. (A store is for y = A·x: times of another task do not belong
/// there.) `conversions`: they are timed several times and on fresh memory; otherwise preprocess_s is of one conversion
/// as it came.
std::vector<Measurement> measure_kernels(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                         const std::vector<std::string>& kernels, Precision precision,
                                         const TimingOptions& options, const ProductKind& task = {},
                                         bool conversions = true);

// How long a conversion takes as users meet it: once, into memory that nobody has touched yet. The system's work of
// giving out the pages is part of it, and more than half of it as a rule; a program that converts again and again finds
// the pages of the format before and is told a tenth of the time.

struct Conversion {
  std::unique_ptr<hardware::Product> product;
  double seconds = 0;  ///< from CSR to the format, upload included; 0 exactly where the Matrix's own arrays are used
};

/// Converts into fresh memory. Short conversions are made several times, each in fresh memory, and the median counts.
/// Errors of Device::prepare.
[[nodiscard]] Conversion convert_fresh(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                       const std::string& kernel, Precision precision, const ProductKind& task = {});
}  // namespace sparsecast::calibration

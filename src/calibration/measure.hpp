#pragma once
// The truth on a user's matrix: every kernel of a device timed in turns. A format that would not fit is not attempted.

#include "calibration/measurement.hpp"

namespace sparsecast::calibration {
/// One Measurement per kernel, in the order given; its failure says why there is no time, "too large: …" with the
/// figure for one. Nothing is written to a store. (A store is for y = A·x: times of another task do not belong there.)
/// `conversions`: they are timed several times and on fresh memory; otherwise preprocess_s is of one conversion as it
/// came.
std::vector<Measurement> measure_kernels(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                         const std::vector<std::string>& kernels, Precision precision,
                                         const TimingOptions& options, const ProductKind& task = {},
                                         bool conversions = true);
}  // namespace sparsecast::calibration

#pragma once
// How long a conversion takes as users meet it: once, into memory that nobody has touched yet. The system's work of
// giving out the pages is part of it, and more than half of it as a rule; a program that converts again and again finds
// the pages of the format before and is told a tenth of the time.

#include "calibration/conversion/memory_at_hand.hpp"
#include "hardware/device.hpp"

namespace sparsecast::calibration {
struct Conversion {
  std::unique_ptr<hardware::Product> product;
  double seconds = 0;  ///< from CSR to the format, upload included; 0 exactly where the Matrix's own arrays are used
};

enum class Readings {
  none,  ///< not timed: for a product whose memory is as fresh as that of the round before; small products take longer
         ///< in memory that was used
  one,   ///< where many conversions tell together
  several  ///< below 0.1 s three to five times, each in fresh memory; the second shortest counts
};

/// Converts into fresh memory, which `memory` has at hand. Errors of Device::prepare.
[[nodiscard]] Conversion convert_fresh(hardware::Device& device, const Matrix& matrix, const Structure& structure,
                                       const std::string& kernel, Precision precision, MemoryAtHand& memory,
                                       const ProductKind& task = {}, Readings wanted = Readings::several);
}  // namespace sparsecast::calibration

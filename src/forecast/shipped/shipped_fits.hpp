#pragma once
// What a model was fitted to on another processor, as ratios that hold on this one: of every kernel the costs of its
// terms over their priors (which follow from micro-benchmarks, here from a probe's), the residual, the roof, and what
// conversions cost over their priors.

#include <map>

#include "forecast/learned/kernel_fit.hpp"
#include "forecast/physical/conversion.hpp"

namespace sparsecast::forecast {
struct ShippedKernel {
  KernelFit fit;            ///< its parameters are logarithms of costs over the prior's centre
  double fastest_rate = 0;  ///< of a benchmark matrix, over the fastest that memory was read at
  double slowest = 0;       ///< as Roof::slowest()
};

struct ShippedFits {
  std::map<std::string, ShippedKernel> kernels;
  std::map<std::string, ConversionFit> conversions;  ///< costs over prior_costs()
};

/// As text that stands in a document: CBOR in base64, numbers that many matrices share in single precision.
[[nodiscard]] std::string text_of(const ShippedFits& fits);
/// Error bad_input for another text.
[[nodiscard]] ShippedFits shipped_fits_from(std::string_view text);

/// What a calibration's models were fitted to with so many threads, in double precision, to be shipped.
[[nodiscard]] ShippedFits fits_to_ship(const Profile& profile, int threads);
}  // namespace sparsecast::forecast

#pragma once
// Row lengths with a given mean, deviation and longest row.

#include <cstdint>
#include <vector>

namespace sparsecast::matrix {
struct LengthTargets {
  std::int64_t rows = 0, cols = 0;
  double mean = 0, deviation = 0;
  double skew = -1;  ///< (maximum − mean) / mean; negative: not prescribed
};

/// One length per row, in random order. Error usage where no lengths in 0 … cols have these targets.
std::vector<std::int32_t> structured_lengths(const LengthTargets& targets, std::uint64_t seed, int threads);
}  // namespace sparsecast::matrix

#pragma once
// Seconds of every physical term of one product, and how they add up (physical_terms.hpp).

#include <algorithm>
#include <cmath>
#include <limits>
#include <sparsecast_constants.hpp>

namespace sparsecast::forecast {
struct TermSeconds {
  double launch = 0, stream = 0, compute = 0, rows = 0, vectors = 0, gather = 0, row_ends = 0, shared = 0, longest = 0;
  double stream_bytes = 0, gather_bytes = 0;

  [[nodiscard]] double throughput() const { return stream + compute + rows + vectors + gather + row_ends + shared; }
  [[nodiscard]] double busy() const {
    const double t = throughput();
    return longest > 0 ? std::cbrt(t * t * t + longest * longest * longest) : t;
  }
  [[nodiscard]] double log_seconds() const {
    return std::log(std::max(launch + busy(), std::numeric_limits<double>::min()));
  }
};

/// The share of the mispredictions that remains when a product is repeated: the predictor's capacity holds a small
/// matrix after some products, and nothing of one with far more to remember than it can hold.
[[nodiscard]] inline double forgotten(double amount, double memory) {
  return 1 / (1 + std::pow(memory / std::max(amount, 1.0), constants::capacity_edge));
}
}  // namespace sparsecast::forecast

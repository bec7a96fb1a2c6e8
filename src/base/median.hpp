#pragma once
// The middle of some values, and other places among them.

#include <vector>

namespace sparsecast::base {
/// Median; of an even number the mean of the two in the middle. 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// 0 ≤ q ≤ 1; between two values in proportion, as NumPy's default. 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double q);
}  // namespace sparsecast::base

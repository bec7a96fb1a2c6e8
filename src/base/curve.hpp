#pragma once
// Reading a measured curve between its points.

#include <sparsecast/curve.hpp>

namespace sparsecast::base {
/// Whether the curve has points, all positive, with x increasing: a profile from a file may hold anything.
[[nodiscard]] bool usable(const Curve& curve);

/// y at x, both logarithmic between the points and level beyond them. The curve must be usable.
[[nodiscard]] double value_at(const Curve& curve, double x);

// The middle of some values, and other places among them.

/// Median; of an even number the mean of the two in the middle. 0 of none.
[[nodiscard]] double median(std::vector<double> values);

/// 0 ≤ q ≤ 1; between two values in proportion, as NumPy's default. 0 of none.
[[nodiscard]] double quantile(std::vector<double> values, double q);
}  // namespace sparsecast::base

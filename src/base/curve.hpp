#pragma once
// Reading a measured curve between its points.

#include <sparsecast/curve.hpp>

namespace sparsecast::base {
/// Whether the curve has points, all positive, with x increasing: a profile from a file may hold anything.
[[nodiscard]] bool usable(const Curve& curve);

/// y at x, both logarithmic between the points and level beyond them. The curve must be usable.
[[nodiscard]] double value_at(const Curve& curve, double x);
}  // namespace sparsecast::base

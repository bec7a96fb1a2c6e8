#pragma once
// A straight line through measured points by least squares: what the papers mean by "linear".

#include <span>

namespace sparsecast::forecast {
struct Line {
  double intercept = 0;
  double slope = 0;
  [[nodiscard]] double operator()(double x) const noexcept { return intercept + slope * x; }
};

/// Least squares over (x, y). With one distinct x the line is level at the mean of y.
Line fit_line(std::span<const double> x, std::span<const double> y);
}  // namespace sparsecast::forecast

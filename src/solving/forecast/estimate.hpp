#pragma once
// Seconds and how far off they may be.

namespace sparsecast::solving {
/// Seconds and the bounds of their 90 % interval.
struct Estimate {
  double seconds = 0, low_s = 0, high_s = 0;

  [[nodiscard]] static Estimate within(double seconds, double factor) {
    return {seconds, seconds / factor, seconds * factor};
  }
};
}  // namespace sparsecast::solving

#pragma once
// Axes: where a value stands, as a share of a picture's width or height, and which values are written beside it.

#include <span>
#include <string>
#include <vector>

namespace sparsecast::pages {

/// How numbers are written.
enum class Unit { plain, seconds, bytes, bytes_per_second, gflops, count, share, ratio };
std::string shown(double value, Unit unit);

struct Tick {
  double value;
  std::string label;
};

/// A range of values on a line, even (linear) or logarithmic.
class Scale {
 public:
  /// Logarithmic over the positive ones of these values, with some room on both sides and at least a factor 1.5 wide.
  static Scale logarithmic(std::span<const double> values, Unit unit);
  /// From 0 to the largest of these values.
  static Scale from_zero(std::span<const double> values, Unit unit);
  /// From `low` to `high`.
  static Scale between(double low, double high, Unit unit);

  /// 0 at the low end, 1 at the high one; values beyond an end stand at it.
  [[nodiscard]] double at(double value) const;
  /// At most about `most` values, round numbers.
  [[nodiscard]] std::vector<Tick> ticks(int most = 6) const;
  [[nodiscard]] double low() const { return low_; }
  [[nodiscard]] double high() const { return high_; }

 private:
  double low_ = 0, high_ = 1;
  bool logarithmic_ = false;
  Unit unit_ = Unit::plain;
};

}  // namespace sparsecast::pages

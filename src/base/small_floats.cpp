#include "base/small_floats.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace sparsecast::base {
double rounded(ValueStorage type, double value) {
  struct Format {
    int digits, least_exponent;  // of the significand; of normal numbers
    double most;
  };
  if (type == ValueStorage::given || !std::isfinite(value)) return value;
  if (type == ValueStorage::single_) return static_cast<float>(value);
  const Format format = type == ValueStorage::half ? Format{11, -14, 65504} : Format{8, -126, 0x1.fep127};
  const int exponent = value == 0 ? 0 : std::ilogb(value);
  const int unit = std::max(exponent, format.least_exponent) - format.digits + 1;
  const double nearest = std::ldexp(std::nearbyint(std::ldexp(value, -unit)), unit);
  return std::abs(nearest) <= format.most ? nearest : std::copysign(std::numeric_limits<double>::infinity(), value);
}
}  // namespace sparsecast::base

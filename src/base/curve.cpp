#include "base/curve.hpp"

#include <cmath>

namespace sparsecast::base {
bool usable(const Curve& curve) {
  if (curve.x.empty() || curve.x.size() != curve.y.size()) return false;
  for (std::size_t i = 0; i < curve.x.size(); ++i)
    if (!(curve.x[i] > 0) || !(curve.y[i] > 0) || (i > 0 && !(curve.x[i] > curve.x[i - 1]))) return false;
  return true;
}

double value_at(const Curve& curve, double x) {
  if (x <= curve.x.front()) return curve.y.front();
  for (std::size_t i = 1; i < curve.x.size(); ++i) {
    if (x > curve.x[i]) continue;
    const double share = std::log(x / curve.x[i - 1]) / std::log(curve.x[i] / curve.x[i - 1]);
    return curve.y[i - 1] * std::pow(curve.y[i] / curve.y[i - 1], share);
  }
  return curve.y.back();
}
}  // namespace sparsecast::base

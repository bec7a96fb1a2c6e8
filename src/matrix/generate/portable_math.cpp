#include "matrix/generate/portable_math.hpp"

#include <cmath>

namespace sparsecast::matrix {
namespace {
constexpr double ln2 = 0x1.62e42fefa39efp-1;
constexpr double sqrt_half = 0x1.6a09e667f3bcdp-1;
}  // namespace

double portable_log(double x) noexcept {
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // exact
  if (m < sqrt_half) {
    m *= 2;
    --exponent;
  }
  // log m = 2 artanh s with s = (m − 1)/(m + 1), |s| < 0.172: twelve terms of the series reach 1e-19.
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int k = 23; k >= 1; k -= 2) sum = sum * s2 + 1.0 / k;
  return 2 * s * sum + exponent * ln2;
}

double portable_exp(double x) noexcept {
  const double k = std::floor(x / ln2 + 0.5);
  const double r = x - k * ln2;  // |r| ≤ 0.35: fourteen terms reach 1e-18
  double sum = 1;
  for (int n = 14; n >= 1; --n) sum = 1 + sum * r / n;
  return std::ldexp(sum, static_cast<int>(k));  // exact
}

double normal_quantile(double p) noexcept {
  constexpr double a[] = {-3.969683028665376e+01, 2.209460984245205e+02,  -2.759285104469687e+02,
                          1.383577518672690e+02,  -3.066479806614716e+01, 2.506628277459239e+00};
  constexpr double b[] = {-5.447609879822406e+01, 1.615858368580409e+02, -1.556989798598866e+02, 6.680131188771972e+01,
                          -1.328068155288572e+01};
  constexpr double c[] = {-7.784894002430293e-03, -3.223964580411365e-01, -2.400758277161838e+00,
                          -2.549732539343734e+00, 4.374664141464968e+00,  2.938163982698783e+00};
  constexpr double d[] = {7.784695709041462e-03, 3.224671290700398e-01, 2.445134137142996e+00, 3.754408661907416e+00};
  constexpr double low = 0.02425;
  const auto tail = [&](double q) {
    return (((((c[0] * q + c[1]) * q + c[2]) * q + c[3]) * q + c[4]) * q + c[5]) /
           ((((d[0] * q + d[1]) * q + d[2]) * q + d[3]) * q + 1);
  };
  if (p < low) return tail(std::sqrt(-2 * portable_log(p)));
  if (p > 1 - low) return -tail(std::sqrt(-2 * portable_log(1 - p)));
  const double q = p - 0.5, r = q * q;
  return (((((a[0] * r + a[1]) * r + a[2]) * r + a[3]) * r + a[4]) * r + a[5]) * q /
         (((((b[0] * r + b[1]) * r + b[2]) * r + b[3]) * r + b[4]) * r + 1);
}
}  // namespace sparsecast::matrix

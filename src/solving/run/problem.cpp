#include "solving/run/problem.hpp"

#include <cmath>
#include <complex>

namespace sparsecast::solving {
namespace {
// An array of complex numbers is one of their parts.
std::span<const std::complex<double>> as_complex(const Vector& x) {
  return {reinterpret_cast<const std::complex<double>*>(x.data()), x.size() / 2};
}
std::span<std::complex<double>> as_complex(Vector& x) {
  return {reinterpret_cast<std::complex<double>*>(x.data()), x.size() / 2};
}
}  // namespace

double Problem::relative(double square) const { return std::sqrt(square) / b_norm; }

void Problem::product(const Vector& x, Vector& y) {
  if (rows() != plan.rows()) {
    plan.apply(as_complex(x), as_complex(y));
  } else {
    plan.apply(std::span<const double>(x), std::span<double>(y));
  }
  sweeps.counted.products += 1;
}

formats::TwoSums Problem::product_dots(const Vector& x, Vector& y, const Vector& w) {
  if (dots == DotsTaken::apart) {
    product(x, y);
    return sweeps.two_sums({w.data(), y.data()}, {}, [&](std::int64_t begin, std::int64_t end) {
      return loops().dot_and_square(end - begin, w.data() + begin, y.data() + begin);
    });
  }
  sweeps.counted.products += 1;
  sweeps.counted.dotted += 1;
  if (rows() != plan.rows()) {
    const ComplexProductDots sums = plan.apply_with_dots(as_complex(x), as_complex(y), as_complex(w));
    return {sums.wy.real(), sums.yy};
  }
  const ProductDots sums =
      plan.apply_with_dots(std::span<const double>(x), std::span<double>(y), std::span<const double>(w));
  return {sums.wy, sums.yy};
}

double Problem::product_dot(const Vector& x, Vector& y, const Vector& w) {
  if (dots == DotsTaken::in_product) return product_dots(x, y, w).first;
  product(x, y);
  return dot(w, y);
}

void Problem::transposed(const Vector& x, Vector& y) {
  plan.apply_transposed(std::span<const double>(x), std::span<double>(y));
  sweeps.counted.transposed += 1;
}

void Problem::precondition(const Vector& r, Vector& z) {
  preconditioner.apply(r.data(), z.data());
  sweeps.counted.preconditions += 1;
}

double Problem::residual(const Vector& x, Vector& r) {
  product(x, r);
  return sweeps.sum({b.data(), r.data()}, {r.data()}, [&](std::int64_t begin, std::int64_t end) {
    double square = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      r[i] = b[i] - r[i];
      square += r[i] * r[i];
    }
    return square;
  });
}

double Problem::dot(const Vector& x, const Vector& y) {
  return sweeps.sum({x.data(), y.data()}, {}, [&](std::int64_t begin, std::int64_t end) {
    return loops().dot(end - begin, x.data() + begin, y.data() + begin);
  });
}
}  // namespace sparsecast::solving

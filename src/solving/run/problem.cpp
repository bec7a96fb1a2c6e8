#include "solving/run/problem.hpp"

#include <cmath>

namespace sparsecast::solving {
double Problem::relative(double square) const { return std::sqrt(square) / b_norm; }

void Problem::product(const Vector& x, Vector& y) {
  if (rows() != plan.rows()) {
    using Complex = std::complex<double>;  // an array of them is one of their parts
    const auto rows = static_cast<std::size_t>(plan.rows());
    plan.apply(std::span(reinterpret_cast<const Complex*>(x.data()), rows),
               std::span(reinterpret_cast<Complex*>(y.data()), rows));
  } else {
    plan.apply(std::span<const double>(x), std::span<double>(y));
  }
  sweeps.counted.products += 1;
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

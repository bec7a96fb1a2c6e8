// bicgstab_proto.m, compiled.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const auto [nx, ny] = grid(argc, argv);
  const Csr a = poisson(nx, ny, 1, 0.3);
  const std::size_t n = a.rows;
  Vector x(n), r(n, 1), shadow(n, 1), p(n, 1), s(n), v(n), t(n);
  double rho = dot(shadow, r);
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    multiply(a, p, v);
    const double alpha = rho / dot(shadow, v);
    for (std::size_t i = 0; i < n; ++i) s[i] = r[i] - alpha * v[i];
    multiply(a, s, t);
    // One statement of the prototype, one loop: t is read once.
    double ts = 0, tt = 0;
    for (std::size_t i = 0; i < n; ++i) {
      ts += t[i] * s[i];
      tt += t[i] * t[i];
    }
    const double omega = ts / tt;
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i] + omega * s[i];
    for (std::size_t i = 0; i < n; ++i) r[i] = s[i] - omega * t[i];
    const double rho_new = dot(shadow, r), beta = (rho_new / rho) * (alpha / omega);
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * (p[i] - omega * v[i]);
    rho = rho_new;
  }
  std::printf("%.15g\n", rho);
}

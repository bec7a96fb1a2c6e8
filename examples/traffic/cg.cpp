// cg.m, compiled.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const auto [nx, ny] = grid(argc, argv);
  const Csr a = poisson(nx, ny);
  const std::size_t n = a.rows;
  Vector x(n), r(n, 1), p(n, 1), q(n);
  double rho = dot(r, r);
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    multiply(a, p, q);
    const double alpha = rho / dot(p, q);
    for (std::size_t i = 0; i < n; ++i) x[i] += alpha * p[i];
    for (std::size_t i = 0; i < n; ++i) r[i] -= alpha * q[i];
    const double rho_new = dot(r, r), beta = rho_new / rho;
    for (std::size_t i = 0; i < n; ++i) p[i] = r[i] + beta * p[i];
    rho = rho_new;
  }
  std::printf("%.15g\n", rho);
}

// jacobi.m, compiled.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const auto [nx, ny] = grid(argc, argv);
  const Csr a = poisson(nx, ny);
  const std::size_t n = a.rows;
  Vector b(n, 1), x(n), inverse(n, 0.25), r(n);
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    product(a, x, [&](std::size_t i, double sum) { r[i] = b[i] - sum; });
    for (std::size_t i = 0; i < n; ++i) x[i] += inverse[i] * r[i];
  }
  std::printf("%.15g\n", x[n / 2]);
}

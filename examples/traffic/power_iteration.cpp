// power_iteration.m, compiled.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const Csr a = poisson(96, 512);
  const std::size_t n = a.rows;
  Vector x(n), y(n);
  for (std::size_t i = 0; i < n; ++i) x[i] = (1 + static_cast<double>(i % 7)) / static_cast<double>(n);
  double lambda = 0;
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    multiply(a, x, y);
    lambda = std::sqrt(dot(y, y));
    for (std::size_t i = 0; i < n; ++i) x[i] = y[i] / lambda;
  }
  std::printf("%.15g\n", lambda);
}

// blgmres.m, compiled: blocks of four vectors, stored point by point. More than five steps begin anew.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  constexpr std::size_t width = 4;
  const Csr a = poisson(96, 512);
  const std::size_t n = a.rows;
  const int all = iterations(argc, argv, 5);
  std::vector<Vector> basis;
  for (int j = 0; j <= 5; ++j) basis.emplace_back(n * width, 0.0);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t c = 0; c < width; ++c)
      basis[0][i * width + c] = (1 + static_cast<double>((c * n + i) % 7)) / static_cast<double>(n);
  double last = 0;
  for (int step = 0; step < all; ++step) {
    const int j = step % 5;
    const Vector& v = basis[static_cast<std::size_t>(j)];
    Vector& w = basis[static_cast<std::size_t>(j) + 1];
    for (std::size_t i = 0; i < n; ++i) {
      double sum[width] = {};
      for (std::int32_t k = a.pointers[i]; k < a.pointers[i + 1]; ++k) {
        const auto at = static_cast<std::size_t>(k);
        const auto column = static_cast<std::size_t>(a.columns[at]);
        for (std::size_t c = 0; c < width; ++c) sum[c] += a.values[at] * v[column * width + c];
      }
      for (std::size_t c = 0; c < width; ++c) w[i * width + c] = 0.1 * sum[c];
    }
    for (int b = 0; b <= j; ++b) {
      const Vector& q = basis[static_cast<std::size_t>(b)];
      double h[width][width] = {};
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t r = 0; r < width; ++r)
          for (std::size_t c = 0; c < width; ++c) h[r][c] += q[i * width + r] * w[i * width + c];
      for (std::size_t i = 0; i < n; ++i)
        for (std::size_t c = 0; c < width; ++c) {
          double sum = 0;
          for (std::size_t r = 0; r < width; ++r) sum += q[i * width + r] * h[r][c];
          w[i * width + c] -= sum;
        }
      last = h[0][0];
    }
  }
  std::printf("%.15g\n", last);
}

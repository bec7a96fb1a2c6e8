// gmres_proto.m, compiled. The small least-squares problem at its end moves nothing worth counting: the solution that
// it gives is taken as one number here. More than eight steps are further cycles from the same start.
#include "compiled.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const auto [nx, ny] = grid(argc, argv);
  const Csr a = poisson(nx, ny);
  const std::size_t n = a.rows;
  const int all = iterations(argc, argv, 8);
  std::vector<Vector> basis;
  for (int j = 0; j <= 8; ++j) basis.emplace_back(n, 0.0);
  const double beta = std::sqrt(static_cast<double>(n));
  for (std::size_t i = 0; i < n; ++i) basis[0][i] = 1 / beta;
  Vector w(n), x(n);
  double last = 0;
  for (int step = 0; step < all; ++step) {
    const int j = step % 8;
    multiply(a, basis[static_cast<std::size_t>(j)], w);
    for (int k = 0; k <= j; ++k) {
      const Vector& v = basis[static_cast<std::size_t>(k)];
      const double h = dot(v, w);
      for (std::size_t i = 0; i < n; ++i) w[i] -= h * v[i];
    }
    last = std::sqrt(dot(w, w));
    Vector& next = basis[static_cast<std::size_t>(j) + 1];
    for (std::size_t i = 0; i < n; ++i) next[i] = w[i] / last;
    if (j != 7 && step + 1 != all) continue;
    for (std::size_t i = 0; i < n; ++i) {
      double sum = 0;
      for (std::size_t b = 0; b < 8; ++b) sum += basis[b][i] * last;
      x[i] += sum;
    }
  }
  std::printf("%.15g %.15g\n", last, x[n / 2]);
}

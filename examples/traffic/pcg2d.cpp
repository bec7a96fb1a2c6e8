// pcg2d.m, compiled: the ocean model's solver on its own two-dimensional arrays.
#include "compiled.hpp"
#include "ocean.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const std::size_t nx = ocean_nx, ny = ocean_ny, n = nx * ny;
  const std::vector<bool> ocean = ocean_points();
  const std::ptrdiff_t shift[9] = {0, 192, -192, 1, -1, 193, 191, -191, -193};
  std::vector<Vector> c;
  for (int k = 0; k < 9; ++k) c.emplace_back(n, 0.0);
  Vector mask(n), a0r(n), x(n), r(n), p(n), q(n), z(n);
  for (std::size_t i = nx + 1; i + nx + 1 < n; ++i) {
    if (!ocean[i]) continue;
    mask[i] = a0r[i] = r[i] = 1;
    for (std::size_t k = 0; k < 9; ++k)
      if (ocean[static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + shift[k])]) c[k][i] = k == 0 ? 1.0 : -0.1;
  }
  double rho_old = 1, residual = 0;
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    for (std::size_t i = 0; i < n; ++i) z[i] = a0r[i] * r[i];
    double rho = 0, delta = 0;
    for (std::size_t i = 0; i < n; ++i) rho += r[i] * z[i] * mask[i];
    const double beta = rho / rho_old;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + p[i] * beta;
    for (std::size_t j = 1; j + 1 < ny; ++j)
      for (std::size_t i = j * nx + 1; i + 1 < (j + 1) * nx; ++i)
        q[i] = c[0][i] * p[i] + c[1][i] * p[i + 192] + c[2][i] * p[i - 192] + c[3][i] * p[i + 1] + c[4][i] * p[i - 1] +
               c[5][i] * p[i + 193] + c[6][i] * p[i + 191] + c[7][i] * p[i - 191] + c[8][i] * p[i - 193];
    for (std::size_t i = 0; i < n; ++i) delta += q[i] * p[i] * mask[i];
    const double alpha = rho / delta;
    for (std::size_t i = 0; i < n; ++i) x[i] += p[i] * alpha;
    for (std::size_t i = 0; i < n; ++i) r[i] -= q[i] * alpha;
    residual = dot(r, r);
    rho_old = rho;
  }
  std::printf("%.15g\n", residual);
}

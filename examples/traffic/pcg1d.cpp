// pcg1d.m, compiled: ocean points only, the operator as compressed sparse rows.
#include "compiled.hpp"
#include "ocean.hpp"
using namespace compiled;

int main(int argc, char** argv) {
  const std::vector<bool> ocean = ocean_points();
  std::vector<std::size_t> number(ocean.size(), 0);
  std::size_t n = 0;
  for (std::size_t i = 0; i < ocean.size(); ++i)
    if (ocean[i]) number[i] = n++;
  std::vector<Entry> entries;
  for (std::size_t i = 0; i < ocean.size(); ++i) {
    if (!ocean[i]) continue;
    for (const std::ptrdiff_t shift : {-193, -192, -191, -1, 0, 1, 191, 192, 193}) {
      const auto at = static_cast<std::size_t>(static_cast<std::ptrdiff_t>(i) + shift);
      if (ocean[at]) entries.push_back({number[i], number[at], shift == 0 ? 1.0 : -0.1});
    }
  }
  const Csr a = make_csr(n, entries);
  Vector a0r(n, 1), x(n), r(n, 1), p(n), q(n), z(n);
  double rho_old = 1, residual = 0;
  const int all = iterations(argc, argv, 10);
  for (int k = 0; k < all; ++k) {
    for (std::size_t i = 0; i < n; ++i) z[i] = a0r[i] * r[i];
    const double rho = dot(r, z), beta = rho / rho_old;
    for (std::size_t i = 0; i < n; ++i) p[i] = z[i] + p[i] * beta;
    multiply(a, p, q);
    const double alpha = rho / dot(q, p);
    for (std::size_t i = 0; i < n; ++i) x[i] += p[i] * alpha;
    for (std::size_t i = 0; i < n; ++i) r[i] -= q[i] * alpha;
    residual = dot(r, r);
    rho_old = rho;
  }
  std::printf("%.15g\n", residual);
}

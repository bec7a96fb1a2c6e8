// vcycle.m, compiled.
#include "compiled.hpp"
using namespace compiled;

struct Level {
  Csr a, prolongation, restriction;
  Vector inverse, b, x, r;
};

void smooth(Level& level) {
  product(level.a, level.x, [&](std::size_t i, double sum) { level.r[i] = level.b[i] - sum; });
  for (std::size_t i = 0; i < level.x.size(); ++i) level.x[i] += level.inverse[i] * level.r[i];
}

int main(int argc, char** argv) {
  std::vector<Level> levels(4);
  std::size_t nx = 96, ny = 512;
  for (std::size_t l = 0; l < levels.size(); ++l) {
    Level& level = levels[l];
    const double scale = 1 / std::pow(4.0, static_cast<double>(l));
    const std::size_t n = nx * ny;
    level.a = poisson(nx, ny, scale);
    level.inverse = Vector(n, 0.8 / (4 * scale));
    level.b = Vector(n, l == 0 ? 1.0 : 0.0);
    level.x = Vector(n);
    level.r = Vector(n);
    if (l + 1 < levels.size()) {
      std::vector<Entry> down, up;
      for (std::size_t i = 0; i < n; ++i) down.push_back({i, (i % nx) / 2 + (i / nx / 2) * (nx / 2), 1.0});
      for (std::size_t j = 0; j < ny / 2; ++j)
        for (std::size_t i = 0; i < nx / 2; ++i)
          for (std::size_t k = 0; k < 4; ++k)
            up.push_back({j * (nx / 2) + i, (2 * j + k / 2) * nx + 2 * i + k % 2, 1.0});
      level.prolongation = make_csr(n, down);
      level.restriction = make_csr(n / 4, up);
    }
    nx /= 2;
    ny /= 2;
  }
  const int all = iterations(argc, argv, 3);
  const std::size_t last = levels.size() - 1;
  for (int cycle = 0; cycle < all; ++cycle) {
    for (std::size_t l = 0; l < last; ++l) {
      Level& level = levels[l];
      smooth(level);
      smooth(level);
      product(level.a, level.x, [&](std::size_t i, double sum) { level.r[i] = level.b[i] - sum; });
      multiply(level.restriction, level.r, levels[l + 1].b);
      for (std::size_t i = 0; i < levels[l + 1].x.size(); ++i) levels[l + 1].x[i] = 0;
    }
    for (int k = 0; k < 8; ++k) smooth(levels[last]);
    for (std::size_t l = last; l-- > 0;) {
      Level& level = levels[l];
      product(level.prolongation, levels[l + 1].x, [&](std::size_t i, double sum) { level.x[i] += sum; });
      smooth(level);
    }
  }
  std::printf("%.15g\n", levels[0].x[1000]);
}

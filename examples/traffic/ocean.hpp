#pragma once
// ocean.m, compiled: which points of the grid are ocean. Points are numbered along x.

#include <cstddef>
#include <vector>

namespace compiled {

inline constexpr std::size_t ocean_nx = 192, ocean_ny = 128;

inline std::vector<bool> ocean_points() {
  std::vector<bool> ocean(ocean_nx * ocean_ny, false);
  const auto inside = [](double x, double y, double a, double b, double ra, double rb) {
    const double u = (x - a) / ra, v = (y - b) / rb;
    return u * u + v * v < 1;
  };
  for (std::size_t j = 1; j + 1 < ocean_ny; ++j)
    for (std::size_t i = 1; i + 1 < ocean_nx; ++i) {
      const double x = static_cast<double>(i + 1) / static_cast<double>(ocean_nx),
                   y = static_cast<double>(j + 1) / static_cast<double>(ocean_ny);
      ocean[j * ocean_nx + i] = !inside(x, y, 0.28, 0.55, 0.20, 0.346) && !inside(x, y, 0.76, 0.45, 0.17, 0.308);
    }
  return ocean;
}

}  // namespace compiled

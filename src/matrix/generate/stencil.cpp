// Stencils of square and cubic grids with Dirichlet boundaries: points in lexicographic order, x fastest.

#include <cstdlib>

#include "matrix/generate/generators.hpp"
#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
namespace {
struct Neighbour {
  std::int64_t dx, dy, dz;
};

// The neighbours of a stencil, ascending in the order of the points; the point itself is one of them.
std::vector<Neighbour> neighbours(int dimensions, bool corners) {
  std::vector<Neighbour> list;
  const std::int64_t deep = dimensions == 3 ? 1 : 0;
  for (std::int64_t dz = -deep; dz <= deep; ++dz)
    for (std::int64_t dy = -1; dy <= 1; ++dy)
      for (std::int64_t dx = -1; dx <= 1; ++dx)
        if (corners || std::abs(dx) + std::abs(dy) + std::abs(dz) <= 1) list.push_back({dx, dy, dz});
  return list;
}

Matrix grid_stencil(const GeneratorCall& call, int dimensions, bool corners, int threads) {
  const double edge = call.number("size");
  const std::vector<Neighbour> stencil = neighbours(dimensions, corners);
  const double deep = call.given.at("depth") ? call.number("depth") : edge;
  const double points = dimensions == 3 ? edge * edge * deep : edge * deep;
  require_buildable(call.name, points, points, points * static_cast<double>(stencil.size()));
  const std::int64_t n = call.whole("size"), last = call.given.at("depth") ? call.whole("depth") : n;
  const std::int64_t width = dimensions == 3 ? n : last, depth = dimensions == 3 ? last : 1;

  const auto inside = [n, width, depth](std::int64_t point, const Neighbour& d) {
    const std::int64_t x = point % n + d.dx, y = point / n % width + d.dy, z = point / n / width + d.dz;
    return x >= 0 && x < n && y >= 0 && y < width && z >= 0 && z < depth;
  };
  RowRecipe recipe;
  recipe.rows = recipe.cols = n * width * depth;
  recipe.length = [=](std::int64_t row) {
    std::int64_t count = 0;
    for (const Neighbour& d : stencil) count += inside(row, d) ? 1 : 0;
    return count;
  };
  recipe.columns = [=](std::int64_t row, std::span<std::int32_t> columns, DrawScratch&) {
    std::size_t next = 0;
    for (const Neighbour& d : stencil)
      if (inside(row, d)) columns[next++] = static_cast<std::int32_t>(row + d.dx + n * (d.dy + n * d.dz));
  };
  // The Laplacian: −1 to each neighbour, their number (on an endless grid) on the diagonal.
  recipe.values = [centre = static_cast<double>(stencil.size() - 1)](
                      std::int64_t row, std::span<const std::int32_t> columns, std::span<double> values) {
    for (std::size_t k = 0; k < values.size(); ++k) values[k] = columns[k] == row ? centre : -1.0;
  };
  return build_rows(recipe, call.name, threads);
}
}  // namespace

Matrix generate_poisson2d(const GeneratorCall& call, int threads) { return grid_stencil(call, 2, false, threads); }
Matrix generate_poisson3d(const GeneratorCall& call, int threads) { return grid_stencil(call, 3, false, threads); }
Matrix generate_stencil27(const GeneratorCall& call, int threads) { return grid_stencil(call, 3, true, threads); }
}  // namespace sparsecast::matrix

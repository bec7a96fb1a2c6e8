// banded: symmetric, non-zeros spread evenly over the columns within a distance of the diagonal.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>
#include <vector>

#include "matrix/generate/generators.hpp"
#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
Matrix generate_banded(const GeneratorCall& call, int threads) {
  const std::int64_t rows = call.rows();
  const std::int64_t band = std::min(call.count("bandwidth"), std::max<std::int64_t>(0, rows - 1));
  // Without a mean the band is full.
  const double full = static_cast<double>(2 * band + 1);
  const double mean = call.given.at("row_mean") ? call.number("row_mean") : full;
  if (mean > full || (mean < 1 && rows > 0))
    throw Error(ErrorCode::usage,
                fmt::format("{} non-zeros per row do not fit a diagonal and {} columns on either side", mean, band));
  require_buildable(call.name, static_cast<double>(rows), static_cast<double>(rows), static_cast<double>(rows) * mean);
  const double below = (mean - 1) / 2;  // of the diagonal

  RowRecipe lower;
  lower.rows = lower.cols = rows;
  lower.length = [=, seed = call.seed](std::int64_t row) {
    const std::int64_t room = std::min(row, band);
    CounterRandom random(seed, row, 0);
    // Near the top, where the band is cut off, as dense as elsewhere.
    const double wanted = band > 0 ? below * static_cast<double>(room) / static_cast<double>(band) : 0;
    return std::min(room, static_cast<std::int64_t>(wanted + random.unit()));
  };
  lower.columns = [=, seed = call.seed](std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch) {
    const std::int64_t room = std::min(row, band);
    CounterRandom random(seed, row, 1);
    draw_distinct(random, room, columns, scratch);
    for (std::int32_t& column : columns) column += static_cast<std::int32_t>(row - room);
  };
  return build_symmetric(lower, call.seed, call.name, threads);
}

// Stencils of square and cubic grids with Dirichlet boundaries: points in lexicographic order, x fastest.

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
  const double points = dimensions == 3 ? edge * edge * edge : edge * edge;
  require_buildable(call.name, points, points, points * static_cast<double>(stencil.size()));
  const std::int64_t n = call.count("size", 1);

  const auto inside = [n, dimensions](std::int64_t point, const Neighbour& d) {
    const std::int64_t x = point % n + d.dx, y = point / n % n + d.dy, z = point / n / n + d.dz;
    return x >= 0 && x < n && y >= 0 && y < n && (dimensions == 2 || (z >= 0 && z < n));
  };
  RowRecipe recipe;
  recipe.rows = recipe.cols = dimensions == 3 ? n * n * n : n * n;
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

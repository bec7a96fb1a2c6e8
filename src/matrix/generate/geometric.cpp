// geometric and blocks: points scattered over a square or a cube, neighbours where two are closer than a radius.
// Coordinates are 21-bit integers, so that distances are exact. Points are numbered cell by cell.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "base/team.hpp"
#include "base/threads.hpp"
#include "matrix/generate/generators.hpp"
#include "matrix/generate/portable_math.hpp"
#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
namespace {
constexpr double pi = 3.14159265358979323846;
constexpr std::int64_t extent = 1 << 21;  // of the square or cube

struct Point {
  std::int32_t x, y, z;
};

// Points sorted into cells no smaller than the radius: neighbours lie in the same or an adjacent cell.
struct PointCloud {
  int dimensions = 2;
  std::int64_t radius_squared = 0;
  std::int64_t cells = 1;  // along an edge
  std::vector<Point> points;
  std::vector<std::int64_t> cell_starts;

  [[nodiscard]] std::int64_t cell(std::int32_t coordinate) const { return coordinate * cells / extent; }
  [[nodiscard]] std::int64_t cell(const Point& p) const { return (cell(p.z) * cells + cell(p.y)) * cells + cell(p.x); }

  /// Calls visit(q) for every neighbour q of point p, p itself included, in ascending order.
  template <class Visit>
  void for_neighbours(std::int64_t p, const Visit& visit) const {
    const Point& a = points[static_cast<std::size_t>(p)];
    const std::int64_t x = cell(a.x), y = cell(a.y), z = cell(a.z), deep = dimensions == 3 ? 1 : 0;
    for (std::int64_t cz = std::max<std::int64_t>(0, z - deep);
         cz <= std::min(z + deep, dimensions == 3 ? cells - 1 : 0); ++cz)
      for (std::int64_t cy = std::max<std::int64_t>(0, y - 1); cy <= std::min(y + 1, cells - 1); ++cy) {
        const std::int64_t row = (cz * cells + cy) * cells;
        const std::int64_t first = cell_starts[static_cast<std::size_t>(row + std::max<std::int64_t>(0, x - 1))];
        const std::int64_t last = cell_starts[static_cast<std::size_t>(row + std::min(x + 1, cells - 1) + 1)];
        for (std::int64_t q = first; q < last; ++q) {
          const Point& b = points[static_cast<std::size_t>(q)];
          const std::int64_t dx = a.x - b.x, dy = a.y - b.y, dz = a.z - b.z;
          if (dx * dx + dy * dy + dz * dz <= radius_squared) visit(q);
        }
      }
  }
};

double cube_root(double x) { return x > 0 ? portable_exp(portable_log(x) / 3) : 0; }

PointCloud scatter(std::int64_t count, double neighbours, int dimensions, std::uint64_t seed) {
  PointCloud cloud;
  cloud.dimensions = dimensions;
  // neighbours = count × π r² (or 4/3 π r³) in the unit square (cube); those near its edge have fewer.
  const double n = std::max<double>(1, static_cast<double>(count));
  const double r = dimensions == 2 ? std::sqrt(neighbours / (pi * n)) : cube_root(neighbours / (4.0 / 3.0 * pi * n));
  const auto radius = static_cast<std::int64_t>(std::min(r, 2.0) * static_cast<double>(extent));
  cloud.radius_squared = radius * radius;
  // No more cells than points.
  const auto most = static_cast<std::int64_t>(dimensions == 2 ? std::sqrt(n) : cube_root(n));
  cloud.cells =
      std::clamp<std::int64_t>(extent / std::max<std::int64_t>(radius, 1), 1, std::max<std::int64_t>(1, most));

  std::vector<Point> unsorted(static_cast<std::size_t>(count));
  const std::int64_t all_cells = cloud.cells * cloud.cells * (dimensions == 3 ? cloud.cells : 1);
  cloud.cell_starts.assign(static_cast<std::size_t>(all_cells) + 1, 0);
  for (std::int64_t i = 0; i < count; ++i) {
    CounterRandom random(seed, i, 7);
    Point& p = unsorted[static_cast<std::size_t>(i)];
    p.x = static_cast<std::int32_t>(random.below(extent));
    p.y = static_cast<std::int32_t>(random.below(extent));
    p.z = dimensions == 3 ? static_cast<std::int32_t>(random.below(extent)) : 0;
    ++cloud.cell_starts[static_cast<std::size_t>(cloud.cell(p)) + 1];
  }
  std::partial_sum(cloud.cell_starts.begin(), cloud.cell_starts.end(), cloud.cell_starts.begin());
  std::vector<std::int64_t> next(cloud.cell_starts.begin(), cloud.cell_starts.end() - 1);
  cloud.points.resize(unsorted.size());
  for (const Point& p : unsorted)
    cloud.points[static_cast<std::size_t>(next[static_cast<std::size_t>(cloud.cell(p))]++)] = p;
  return cloud;
}

// A matrix with `dof` rows and columns a point, and a block wherever two points are neighbours; of each point with
// itself where that is asked for.
Matrix build_points(const GeneratorCall& call, const PointCloud& cloud, std::int64_t dof, bool itself, int threads) {
  RowRecipe recipe;
  recipe.rows = recipe.cols = call.rows();
  recipe.length = [&](std::int64_t row) {
    std::int64_t count = itself ? 0 : -dof;
    cloud.for_neighbours(row / dof, [&](std::int64_t) { count += dof; });
    return count;
  };
  recipe.columns = [&](std::int64_t row, std::span<std::int32_t> columns, DrawScratch&) {
    std::size_t next = 0;
    cloud.for_neighbours(row / dof, [&](std::int64_t q) {
      for (std::int64_t d = 0; d < dof && (itself || q != row / dof); ++d)
        columns[next++] = static_cast<std::int32_t>(q * dof + d);
    });
  };
  recipe.values = symmetric_values(call.seed);
  return build_rows(recipe, call.name, threads);
}
}  // namespace

Matrix generate_geometric(const GeneratorCall& call, int threads) {
  const std::int64_t rows = call.rows();
  const double degree = call.number("row_mean");
  if (degree >= std::max<double>(1, static_cast<double>(rows)))
    throw Error(ErrorCode::usage, fmt::format("{} points cannot have {} neighbours each", rows, degree));
  if (call.cols() != rows)
    throw Error(ErrorCode::usage, fmt::format("{} columns are not as many as the {} points", call.cols(), rows));
  require_buildable(call.name, 2.0 * static_cast<double>(rows), 0, static_cast<double>(rows) * (degree + 2));
  const PointCloud cloud = scatter(rows, degree, static_cast<int>(call.number("dimensions")), call.seed);
  return build_points(call, cloud, 1, false, threads);
}

Matrix generate_blocks(const GeneratorCall& call, int threads) {
  const std::int64_t rows = call.rows(), dof = call.whole("dof");
  if (rows % dof != 0)
    throw Error(ErrorCode::usage, fmt::format("{} rows are not a multiple of {} unknowns per node", rows, dof));
  if (call.cols() != rows)
    throw Error(ErrorCode::usage,
                fmt::format("{} columns are not as many as the {} rows of blocks", call.cols(), rows));
  const std::int64_t nodes = rows / dof;
  const double coupled = call.number("row_mean") / static_cast<double>(dof);  // nodes, itself included
  if (coupled < 1 || coupled > std::max<double>(1, static_cast<double>(nodes)))
    throw Error(ErrorCode::usage,
                fmt::format("{} non-zeros per row are not between {} and {}", call.number("row_mean"), dof, rows));
  require_buildable(call.name, 2.0 * static_cast<double>(rows), 0, static_cast<double>(rows) * call.number("row_mean"));
  const PointCloud cloud = scatter(nodes, coupled - 1, static_cast<int>(call.number("dimensions")), call.seed);
  return build_points(call, cloud, dof, true, threads);
}
}  // namespace sparsecast::matrix

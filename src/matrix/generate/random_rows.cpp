// Kinds whose rows are independent: a length from some distribution, and columns drawn evenly from all.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "matrix/generate/row_builder.hpp"

namespace sparsecast::matrix {
namespace {
// Streams of a row: 0 its length, 1 its columns, 2 its values.
constexpr std::uint64_t length_stream = 0, column_stream = 1;

Matrix random_rows(const GeneratorCall& call, std::function<std::int64_t(std::int64_t)> length, int threads) {
  const std::int64_t cols = call.cols();
  RowRecipe recipe;
  recipe.rows = call.rows();
  recipe.cols = cols;
  require_buildable(call.name, static_cast<double>(recipe.rows), static_cast<double>(cols),
                    static_cast<double>(recipe.rows) * std::min(call.number("row_mean"), static_cast<double>(cols)));
  recipe.length = std::move(length);
  recipe.columns = [seed = call.seed, cols](std::int64_t row, std::span<std::int32_t> columns, DrawScratch& scratch) {
    CounterRandom random(seed, row, column_stream);
    draw_distinct(random, cols, columns, scratch);
  };
  recipe.values = random_values(call.seed);
  return build_rows(recipe, call.name, threads);
}

// The whole number below or above x, so that the mean is x.
std::int64_t round_randomly(double x, CounterRandom& random) {
  const double below = std::floor(x);
  return static_cast<std::int64_t>(below) + (random.unit() < x - below ? 1 : 0);
}

std::int64_t round_nearest(double x) { return static_cast<std::int64_t>(std::floor(x + 0.5)); }

// row_mean of a kind whose rows cannot be longer than the matrix is wide.
double feasible_mean(const GeneratorCall& call) {
  const double mean = call.number("row_mean");
  if (mean > static_cast<double>(call.cols()))
    throw Error(ErrorCode::usage, fmt::format("{} non-zeros per row do not fit in {} columns", mean, call.cols()));
  return mean;
}

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
  const std::int64_t n = call.count("size", 1), last = call.given.at("depth") ? call.count("depth", 1) : n;
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

Matrix generate_constant(const GeneratorCall& call, int threads) {
  feasible_mean(call);
  const std::int64_t length = call.count("row_mean");
  return random_rows(
      call, [length](std::int64_t) { return length; }, threads);
}

Matrix generate_normal(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call);
  const double deviation = call.given.at("row_std") ? call.number("row_std") : mean / 4;
  const double most = static_cast<double>(call.cols());
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        CounterRandom random(seed, row, length_stream);
        return round_nearest(std::clamp(mean + deviation * normal_quantile(random.unit()), 0.0, most));
      },
      threads);
}

Matrix generate_uniform(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call);
  const std::int64_t choices = std::max<std::int64_t>(1, round_nearest(2 * mean - 1));
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) { return 1 + CounterRandom(seed, row, length_stream).below(choices); },
      threads);
}

Matrix generate_random(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), cells = static_cast<double>(call.cols());
  // The length of a row is binomial. Long rows are taken as normal, short ones as Poisson, by inversion of the
  // cumulated probabilities: the difference is below that between two seeds.
  const double deviation = cells > 0 ? std::sqrt(mean * (1 - mean / cells)) : 0;
  std::vector<double> cumulated;
  if (mean <= 30)
    for (double term = portable_exp(-mean), sum = term; cumulated.size() < 120; sum += term) {
      cumulated.push_back(sum);
      term *= mean / static_cast<double>(cumulated.size());
    }
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) -> std::int64_t {
        CounterRandom random(seed, row, length_stream);
        const double u = random.unit();
        if (cumulated.empty()) return round_nearest(std::clamp(mean + deviation * normal_quantile(u), 0.0, cells));
        return std::ranges::lower_bound(cumulated, u) - cumulated.begin();
      },
      threads);
}

Matrix generate_powerlaw(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), most = static_cast<double>(call.cols());
  const double exponent = call.between("exponent", 2.01, 10);
  // Pareto: length = least · u^(−1/(exponent − 1)), cut at the number of columns. `least` follows from the mean by
  // bisection, since the cut takes a part of the mean away: E min(X, m) = least · (1 + (1 − (least/m)^(e−2)) / (e −
  // 2)).
  double low = 0, high = std::max(mean, 1e-300);
  for (int step = 0; step < 60 && most > 0; ++step) {
    const double least = 0.5 * (low + high);
    const double cut = least < 1e-200 ? 0 : portable_exp((exponent - 2) * portable_log(least / most));
    (least * (1 + (1 - cut) / (exponent - 2)) < mean ? low : high) = least;
  }
  const double least = 0.5 * (low + high), power = -1 / (exponent - 1);
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        CounterRandom random(seed, row, length_stream);
        const double length = least * portable_exp(power * portable_log(random.unit()));
        return round_randomly(std::min(length, most), random);
      },
      threads);
}

Matrix generate_longrow(const GeneratorCall& call, int threads) {
  const double mean = feasible_mean(call), share = call.between("long_share", 0, 1);
  const std::int64_t rows = call.rows(), cols = call.cols();
  const std::int64_t long_rows = std::min(rows, call.count("long_rows"));
  const double nonzeros = mean * static_cast<double>(rows);
  const std::int64_t long_length =
      long_rows == 0 ? 0 : std::min(cols, round_nearest(share * nonzeros / static_cast<double>(long_rows)));
  const std::int64_t short_rows = std::max<std::int64_t>(1, rows - long_rows);
  const double short_mean =
      std::max(0.0, nonzeros - static_cast<double>(long_length * long_rows)) / static_cast<double>(short_rows);
  // The k-th long row lies somewhere in the k-th of long_rows equal blocks of rows.
  const auto is_long = [=, seed = call.seed](std::int64_t row) {
    if (long_rows == 0) return false;
    const std::int64_t block = std::min(long_rows - 1, row * long_rows / rows);
    for (const std::int64_t k : {block, block + 1}) {
      const std::int64_t first = k * rows / long_rows, next = (k + 1) * rows / long_rows;
      if (k < long_rows && row == first + CounterRandom(seed, k, 5).below(std::max<std::int64_t>(1, next - first)))
        return true;
    }
    return false;
  };
  return random_rows(
      call,
      [=, seed = call.seed](std::int64_t row) {
        if (is_long(row)) return long_length;
        CounterRandom random(seed, row, length_stream);
        const double spread = std::min(short_mean, static_cast<double>(cols) - short_mean);
        return round_randomly(short_mean + spread * (2 * random.unit() - 1), random);
      },
      threads);
}

// banded: symmetric, non-zeros spread evenly over the columns within a distance of the diagonal.

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

Matrix generate_poisson2d(const GeneratorCall& call, int threads) { return grid_stencil(call, 2, false, threads); }
Matrix generate_poisson3d(const GeneratorCall& call, int threads) { return grid_stencil(call, 3, false, threads); }
Matrix generate_stencil27(const GeneratorCall& call, int threads) { return grid_stencil(call, 3, true, threads); }
}  // namespace sparsecast::matrix

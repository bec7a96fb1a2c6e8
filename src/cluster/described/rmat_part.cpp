#include "cluster/described/rmat_part.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "matrix/io/triplets.hpp"

namespace sparsecast::cluster {
namespace {
// Graph500's probabilities, as generate() has them: an entry lies in the lower half with .19 + .05, and so in the right
// one, of the upper half with .19 / .76.
constexpr double upper_left = 0.57, beside = 0.19, lower_right = 0.05;
constexpr double upper = 0.76, lower = 0.24, right_of_upper = 0.25, right_of_lower = 0.05 / 0.24;

double log_choose(double n, double k) { return std::lgamma(n + 1) - std::lgamma(k + 1) - std::lgamma(n - k + 1); }

// Of a row, or a column, with so many ones.
double share_of_number(int scale, int ones) { return std::pow(upper, scale - ones) * std::pow(lower, ones); }

double drawn_degree(double mean, base::Random& random) {
  constexpr double many = 64;
  if (mean > many) {  // Box and Muller
    const double u = std::max(1e-300, random.uniform()), v = random.uniform();
    return std::max(0.0,
                    std::round(mean + std::sqrt(mean) * std::sqrt(-2 * std::log(u)) * std::cos(6.283185307179586 * v)));
  }
  double left = random.uniform();
  double p = std::exp(-mean), k = 0;
  while (left > p && k < 4 * many) left -= p, ++k, p *= mean / k;
  return k;
}
}  // namespace

double distinct_entries(const RmatCounts& rmat) {
  double distinct = rmat.symmetric ? std::exp2(rmat.scale) : 0;
  for (int off = rmat.symmetric ? 1 : 0; off <= rmat.scale; ++off)  // levels right of or below the diagonal's blocks
    for (int low = 0; low + off <= rmat.scale; ++low) {
      const double places = std::exp(log_choose(rmat.scale, off) + log_choose(rmat.scale - off, low)) * std::exp2(off);
      const double share =
          std::pow(upper_left, rmat.scale - off - low) * std::pow(beside, off) * std::pow(lower_right, low);
      distinct += places * -std::expm1(-rmat.edges * share);
    }
  return distinct;
}

double distinct_columns(const RmatCounts& rmat, double edges) {
  double distinct = 0;
  for (int ones = 0; ones <= rmat.scale; ++ones) {
    const double columns = std::exp(log_choose(rmat.scale, ones));
    distinct += columns * -std::expm1(-edges * share_of_number(rmat.scale, ones));
  }
  return distinct;
}

Matrix rmat_block(const RmatCounts& rmat, std::int64_t rows, int processes, std::uint64_t seed) {
  base::Random random(seed);
  struct Entry {
    std::int32_t row;
    std::uint64_t owner_and_column;
  };
  std::vector<Entry> drawn;
  drawn.reserve(static_cast<std::size_t>(rmat.edges * static_cast<double>(rows) / std::exp2(rmat.scale) * 1.2));
  const std::uint64_t all_rows = std::uint64_t{1} << rmat.scale;
  const auto owner_of = [&](std::uint64_t column) {
    return (column * 0x9E3779B97F4A7C15U >> 32U) % static_cast<std::uint64_t>(processes);
  };
  for (std::int64_t r = 0; r < rows; ++r) {
    const std::uint64_t row = random.next() & (all_rows - 1);
    const auto degree =
        static_cast<std::int64_t>(drawn_degree(rmat.edges * share_of_number(rmat.scale, std::popcount(row)), random));
    for (std::int64_t e = 0; e < degree; ++e) {
      std::uint64_t column = 0;
      for (int level = rmat.scale - 1; level >= 0; --level) {
        const bool down = (row >> static_cast<unsigned>(level) & 1U) != 0;
        column = 2 * column + (random.uniform() < (down ? right_of_lower : right_of_upper) ? 1 : 0);
      }
      drawn.push_back({static_cast<std::int32_t>(r), owner_of(column) << 40U | column});
    }
  }
  std::vector<std::uint64_t> columns;
  columns.reserve(drawn.size());
  for (const Entry& entry : drawn) columns.push_back(entry.owner_and_column);
  std::ranges::sort(columns);
  columns.erase(std::unique(columns.begin(), columns.end()), columns.end());
  matrix::Triplets<std::int32_t> entries;
  for (const Entry& entry : drawn) {
    entries.rows.push_back(entry.row);
    entries.cols.push_back(
        static_cast<std::int32_t>(std::ranges::lower_bound(columns, entry.owner_and_column) - columns.begin()));
    entries.values.push_back(1);
  }
  matrix::AssemblyOptions size;
  size.cols = static_cast<std::int64_t>(std::max<std::size_t>(1, columns.size()));
  size.rows = rows;
  return {matrix::assemble_in_row_order(std::move(entries), size), "rmat"};
}
}  // namespace sparsecast::cluster

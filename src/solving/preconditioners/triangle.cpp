#include "solving/preconditioners/triangle.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/team.hpp"
#include "formats/parts/split.hpp"

namespace sparsecast::solving {
namespace {
// Entries of a level that take as long as the threads' wait at its end, and more.
constexpr double shared_level = 8000;
// Rows back that a processor has not finished when it comes to a row.
constexpr std::int64_t under_way = 4;

// level[row], from 0; f gets every row's off-diagonal columns on its side.
template <class Pattern, class F>
void each_row(const Pattern& csr, Side side, const F& f) {
  for (std::int64_t i = 0; i < csr.rows; ++i) {
    const std::int64_t row = side == Side::lower ? i : csr.rows - 1 - i;
    std::int64_t first = csr.row_pointers[row], last = csr.row_pointers[row + 1];
    const auto* columns = csr.column_indices.data();
    if (side == Side::lower) {
      last = std::lower_bound(columns + first, columns + last, row) - columns;
    } else {
      first = std::upper_bound(columns + first, columns + last, row) - columns;
    }
    f(row, first, last);
  }
}

struct Levels {
  std::vector<std::int32_t> of_row;
  std::int64_t count = 0;
};

template <class Pattern>
Levels levels_of(const Pattern& csr, Side side, TriangleWork& work) {
  Levels levels{std::vector<std::int32_t>(static_cast<std::size_t>(csr.rows)), 0};
  each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
    std::int32_t level = 0;
    std::int64_t nearest = csr.rows;
    for (std::int64_t k = first; k < last; ++k) {
      const std::int64_t column = csr.column_indices[k];
      level = std::max(level, levels.of_row[static_cast<std::size_t>(column)] + 1);
      nearest = std::min(nearest, side == Side::lower ? row - column : column - row);
    }
    levels.of_row[static_cast<std::size_t>(row)] = level;
    levels.count = std::max<std::int64_t>(levels.count, level + 1);
    work.entries += static_cast<double>(last - first);
    work.chained += nearest <= under_way ? 1 : 0;
  });
  work.rows = static_cast<double>(csr.rows);
  work.levels = static_cast<double>(levels.count);
  return levels;
}

void decide(TriangleWork& work, int threads) {
  work.shared = threads > 1 && work.rows + work.entries >= shared_level * work.levels;
}
}  // namespace

Triangle make_triangle(const Matrix& pattern, const Array<double>& factor, const Array<double>& inverse, Side side,
                       int threads) {
  Triangle out;
  pattern.visit_pattern([&](const auto& csr) {
    TriangleWork work;
    const Levels levels = levels_of(csr, side, work);
    decide(work, threads);
    const auto rows = static_cast<std::size_t>(csr.rows);
    // Where a row stands in the order.
    std::vector<std::int64_t> place(rows);
    if (work.shared) {
      std::vector<std::int64_t> next(static_cast<std::size_t>(levels.count) + 1, 0);
      for (const std::int32_t level : levels.of_row) ++next[static_cast<std::size_t>(level) + 1];
      std::partial_sum(next.begin(), next.end(), next.begin());
      out.levels.assign(next.begin(), next.end());
      out.threads = threads;
      each_row(csr, side, [&](std::int64_t row, std::int64_t, std::int64_t) {
        place[static_cast<std::size_t>(row)] =
            next[static_cast<std::size_t>(levels.of_row[static_cast<std::size_t>(row)])]++;
      });
    } else {
      std::int64_t next = 0;
      each_row(csr, side,
               [&](std::int64_t row, std::int64_t, std::int64_t) { place[static_cast<std::size_t>(row)] = next++; });
    }
    out.rows.resize(rows);
    out.inverse.resize(rows);
    out.row_pointers.resize(rows + 1);
    out.row_pointers[0] = 0;
    each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
      const auto at = static_cast<std::size_t>(place[static_cast<std::size_t>(row)]);
      out.rows[at] = static_cast<std::int32_t>(row);
      out.inverse[at] = inverse[static_cast<std::size_t>(row)];
      out.row_pointers[at + 1] = last - first;
    });
    std::partial_sum(out.row_pointers.begin(), out.row_pointers.end(), out.row_pointers.begin());
    out.columns.resize(static_cast<std::size_t>(out.row_pointers[rows]));
    out.values.resize(out.columns.size());
    each_row(csr, side, [&](std::int64_t row, std::int64_t first, std::int64_t last) {
      auto to =
          static_cast<std::size_t>(out.row_pointers[static_cast<std::size_t>(place[static_cast<std::size_t>(row)])]);
      for (std::int64_t k = first; k < last; ++k, ++to) {
        out.columns[to] = static_cast<std::int32_t>(csr.column_indices[k]);
        out.values[to] = factor[static_cast<std::size_t>(k)];
      }
    });
  });
  return out;
}

TriangleWork triangle_work(const Matrix& matrix, Side side, int threads) {
  TriangleWork work;
  matrix.visit_pattern([&](const auto& csr) { static_cast<void>(levels_of(csr, side, work)); });
  decide(work, threads);
  return work;
}

void Triangle::solve(const double* r, double* z) const {
  const auto stretch = [&](std::int64_t first, std::int64_t last) {
    for (std::int64_t i = first; i < last; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const std::int32_t row = rows[at];
      double sum = r[row];
      const std::int64_t end = row_pointers[at + 1];
      for (std::int64_t k = row_pointers[at]; k < end; ++k)
        sum -= values[static_cast<std::size_t>(k)] * z[columns[static_cast<std::size_t>(k)]];
      z[row] = sum * inverse[at];
    }
  };
  const int team = levels.empty() ? 1 : base::team_of(std::min(threads, base::most_in_team()));
  if (team == 1) return stretch(0, static_cast<std::int64_t>(rows.size()));
#pragma omp parallel num_threads(team)
  {
    const int mine = omp_get_thread_num(), all = omp_get_num_threads();
    for (std::size_t level = 0; level + 1 < levels.size(); ++level) {
      const std::int64_t first = levels[level], count = levels[level + 1] - first;
      stretch(first + formats::part_begin(count, mine, all), first + formats::part_begin(count, mine + 1, all));
#pragma omp barrier
    }
  }
}
}  // namespace sparsecast::solving

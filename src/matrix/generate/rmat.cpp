// rmat: the recursive graph model (Chakrabarti, Zhan & Faloutsos 2004) with the probabilities of Graph500; as a graph
// whose edges have no direction where "symmetric" is given.

#include <algorithm>
#include <numeric>

#include "base/interrupt.hpp"
#include "base/team.hpp"
#include "base/threads.hpp"
#include "matrix/generate/generators.hpp"
#include "matrix/generate/symmetric_builder.hpp"

namespace sparsecast::matrix {
namespace {
// Thresholds of a 16-bit random number: upper left .57, upper right .19, lower left .19, lower right .05.
constexpr std::uint32_t upper_left = 37356, upper_right = upper_left + 12452, lower_left = upper_right + 12452;

struct Edge {
  std::int32_t row, column;
};

Edge draw_edge(std::uint64_t seed, std::int64_t number, int scale) {
  CounterRandom random(seed, number, 11);
  std::uint64_t bits = 0;
  std::int32_t row = 0, column = 0;
  for (int level = 0; level < scale; ++level) {
    if (level % 4 == 0) bits = random.bits();
    const auto u = static_cast<std::uint32_t>(bits & 0xFFFF);
    bits >>= 16;
    const bool down = u >= upper_right, right = (u >= upper_left && u < upper_right) || u >= lower_left;
    row = 2 * row + (down ? 1 : 0);
    column = 2 * column + (right ? 1 : 0);
  }
  return {row, column};
}

// The drawn edges by row: columns of row r are those from starts[r] to starts[r + 1], not yet in order.
struct Edges {
  std::vector<std::int64_t> starts;
  std::vector<std::int32_t> columns;
};

Edges by_row(const std::vector<Edge>& drawn, std::int64_t rows) {
  Edges edges;
  edges.starts.assign(static_cast<std::size_t>(rows) + 1, 0);
  for (const Edge& edge : drawn) ++edges.starts[static_cast<std::size_t>(edge.row) + 1];
  for (std::size_t r = 1; r < edges.starts.size(); ++r) edges.starts[r] += edges.starts[r - 1];
  std::vector<std::int64_t> next(edges.starts.begin(), edges.starts.end() - 1);
  edges.columns.resize(drawn.size());
  for (const Edge& edge : drawn)
    edges.columns[static_cast<std::size_t>(next[static_cast<std::size_t>(edge.row)]++)] = edge.column;
  return edges;
}

// Of a graph without directions half of the entries are drawn, each into the lower triangle; loops are dropped, as
// build_symmetric() adds a whole diagonal.
std::vector<Edge> below_diagonal(std::vector<Edge> drawn) {
  for (Edge& edge : drawn)
    if (edge.row < edge.column) std::swap(edge.row, edge.column);
  std::erase_if(drawn, [](const Edge& edge) { return edge.row == edge.column; });
  return drawn;
}
}  // namespace

Matrix generate_rmat(const GeneratorCall& call, int threads) {
  const auto scale = static_cast<int>(call.number("scale"));
  const bool symmetric = call.number("symmetric") > 0;
  const std::int64_t rows = std::int64_t{1} << scale, entries = call.whole("edges");
  const std::int64_t edge_count = symmetric ? entries / 2 : entries;
  require_buildable(call.name, static_cast<double>(rows), static_cast<double>(rows), 2 * static_cast<double>(entries));

  std::vector<Edge> drawn(static_cast<std::size_t>(edge_count));
#pragma omp parallel for schedule(static) num_threads(base::team_of(base::thread_count(threads)))
  for (std::int64_t e = 0; e < edge_count; ++e) drawn[static_cast<std::size_t>(e)] = draw_edge(call.seed, e, scale);
  base::throw_if_interrupted();
  if (symmetric) drawn = below_diagonal(std::move(drawn));
  Edges edges = by_row(drawn, rows);
  drawn = {};
  const std::vector<std::int64_t>& starts = edges.starts;
  std::vector<std::int32_t>& columns = edges.columns;

  // An edge that is drawn twice is one entry.
  RowRecipe recipe;
  recipe.rows = recipe.cols = rows;
  recipe.length = [&](std::int64_t row) {
    const auto begin = columns.begin() + starts[static_cast<std::size_t>(row)];
    const auto end = columns.begin() + starts[static_cast<std::size_t>(row) + 1];
    std::sort(begin, end);
    return std::unique(begin, end) - begin;
  };
  recipe.columns = [&](std::int64_t row, std::span<std::int32_t> out, DrawScratch&) {
    std::copy_n(columns.begin() + starts[static_cast<std::size_t>(row)], out.size(), out.begin());
  };
  if (symmetric) return build_symmetric(recipe, call.seed, call.name, threads);
  recipe.values = random_values(call.seed);
  return build_rows(recipe, call.name, threads);
}
}  // namespace sparsecast::matrix

#include "cluster/scheme/partition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <sparsecast/error.hpp>

#ifdef SPARSECAST_HAS_METIS
#include <metis.h>
#endif

namespace sparsecast::cluster {
namespace {

#ifdef SPARSECAST_HAS_METIS

// The adjacency of A + Aᵀ without loops, in METIS's CSR.
struct Graph {
  std::vector<idx_t> pointers, neighbours, weights;
};

Graph symmetric_graph(const Matrix& matrix) {
  return matrix.visit_pattern([&](const auto& csr) {
    const auto n = static_cast<std::size_t>(csr.rows);
    Graph graph;
    graph.pointers.assign(n + 1, 0);
    graph.weights.resize(n);
    std::vector<std::int64_t> count(n, 0);
    for (std::size_t r = 0; r < n; ++r) {
      graph.weights[r] = static_cast<idx_t>(csr.row_pointers[r + 1] - csr.row_pointers[r] + 1);
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        if (const auto c = static_cast<std::size_t>(csr.column_indices[k]); c != r) ++count[r], ++count[c];
    }
    const std::int64_t ends = std::accumulate(count.begin(), count.end(), std::int64_t{0});
    if (ends > INT32_MAX)
      throw Error(ErrorCode::unavailable,
                  fmt::format("the graph has {} edge ends and METIS counts them in 32 bits", ends), {matrix.name()},
                  "use 2du, which needs no partition");
    std::vector<std::size_t> first(n + 1, 0);
    std::partial_sum(count.begin(), count.end(), first.begin() + 1);
    std::vector<std::size_t> next(first.begin(), first.end() - 1);
    std::vector<idx_t> raw(first.back());
    for (std::size_t r = 0; r < n; ++r)
      for (auto k = csr.row_pointers[r]; k < csr.row_pointers[r + 1]; ++k)
        if (const auto c = static_cast<std::size_t>(csr.column_indices[k]); c != r) {
          raw[next[r]++] = static_cast<idx_t>(c);
          raw[next[c]++] = static_cast<idx_t>(r);
        }
    // An entry and its mirror image give the same edge twice.
    graph.neighbours.reserve(raw.size() / 2);
    for (std::size_t r = 0; r < n; ++r) {
      const auto begin = raw.begin() + static_cast<std::ptrdiff_t>(first[r]),
                 end = raw.begin() + static_cast<std::ptrdiff_t>(first[r + 1]);
      std::sort(begin, end);
      graph.neighbours.insert(graph.neighbours.end(), begin, std::unique(begin, end));
      graph.pointers[r + 1] = static_cast<idx_t>(graph.neighbours.size());
    }
    return graph;
  });
}

std::vector<std::int32_t> metis(Graph graph, int processes) {
  std::vector<idx_t> parts(graph.weights.size(), 0);
  idx_t vertices = static_cast<idx_t>(parts.size()), constraints = 1, k = processes, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  const int status =
      METIS_PartGraphKway(&vertices, &constraints, graph.pointers.data(), graph.neighbours.data(), graph.weights.data(),
                          nullptr, nullptr, &k, nullptr, nullptr, options, &cut, parts.data());
  if (status != METIS_OK)
    throw Error(ErrorCode::failed,
                fmt::format("METIS could not cut the graph into {} parts (status {})", processes, status), {},
                status == METIS_ERROR_MEMORY ? "it ran out of memory: use 2du, which needs no partition" : "");
  return {parts.begin(), parts.end()};
}

#endif

}  // namespace

#ifdef SPARSECAST_HAS_METIS
bool has_partitioner() { return true; }
#else
bool has_partitioner() { return false; }
#endif

std::vector<std::int32_t> partition_rows(const Matrix& matrix, int processes) {
  const auto n = static_cast<std::size_t>(matrix.rows());
  if (matrix.rows() != matrix.cols())
    throw Error(ErrorCode::usage,
                fmt::format("{} rows and {} columns: x ← A·x needs a square matrix", matrix.rows(), matrix.cols()),
                {matrix.name()});
  std::vector<std::int32_t> parts(n, 0);
  if (processes == 1) return parts;
  if (static_cast<std::size_t>(processes) >= n) {  // one row each; METIS does not take more parts than vertices
    std::iota(parts.begin(), parts.end(), 0);
    return parts;
  }
#ifdef SPARSECAST_HAS_METIS
  Graph graph = symmetric_graph(matrix);
  if (graph.neighbours.empty()) {  // no edges to save: equal runs of rows
    for (std::size_t r = 0; r < n; ++r)
      parts[r] = static_cast<std::int32_t>(r * static_cast<std::size_t>(processes) / n);
    return parts;
  }
  return metis(std::move(graph), processes);
#else
  throw Error(ErrorCode::unavailable, "this build has no METIS, which cuts the rows for g1dr and l1dr", {},
              "install libmetis-dev and build again, or use 2du");
#endif
}

int RowOrder::owner(std::int64_t at) const {
  return static_cast<int>(std::upper_bound(first.begin() + 1, first.end(), at) - first.begin()) - 1;
}

RowOrder order_rows(const std::vector<std::int32_t>& parts, int processes) {
  RowOrder order;
  order.first.assign(static_cast<std::size_t>(processes) + 1, 0);
  for (const std::int32_t part : parts) ++order.first[static_cast<std::size_t>(part) + 1];
  std::partial_sum(order.first.begin(), order.first.end(), order.first.begin());
  order.position.resize(parts.size());
  order.row.resize(parts.size());
  std::vector<std::int64_t> next(order.first.begin(), order.first.end() - 1);
  for (std::size_t r = 0; r < parts.size(); ++r) {
    const std::int64_t at = next[static_cast<std::size_t>(parts[r])]++;
    order.position[r] = at;
    order.row[static_cast<std::size_t>(at)] = static_cast<std::int64_t>(r);
  }
  return order;
}

}  // namespace sparsecast::cluster

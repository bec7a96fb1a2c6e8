#include "cluster/scheme/partition.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <array>
#include <csignal>
#include <numeric>
#include <sparsecast/error.hpp>

#include "base/interrupt.hpp"
#include "matrix/order/symmetric_graph.hpp"

#ifdef SPARSECAST_HAS_METIS
#include <metis.h>
#endif

namespace sparsecast::cluster {
namespace {
#ifdef SPARSECAST_HAS_METIS

// The graph of A + Aᵀ in METIS's CSR, rows weighed by their work.
struct Graph {
  std::vector<idx_t> pointers, neighbours, weights;
};

Graph weighted_graph(const Matrix& matrix) {
  const matrix::Graph joined = matrix::symmetric_graph(matrix);
  const auto ends = static_cast<std::int64_t>(joined.neighbours.size());
  if (ends > INT32_MAX)
    throw Error(ErrorCode::unavailable,
                fmt::format("the graph has {} edge ends, and METIS counts them in 32 bits", ends), {matrix.name()},
                "use 2du, which needs no partition");
  Graph graph{{joined.pointers.begin(), joined.pointers.end()},
              {joined.neighbours.begin(), joined.neighbours.end()},
              std::vector<idx_t>(static_cast<std::size_t>(matrix.rows()))};
  matrix.visit_pattern([&](const auto& csr) {
    for (std::size_t r = 0; r < graph.weights.size(); ++r)
      graph.weights[r] = static_cast<idx_t>(csr.row_pointers[r + 1] - csr.row_pointers[r] + 1);
  });
  return graph;
}

// METIS catches these while it works, and leaves handlers that serve once.
class KeptHandlers {
 public:
  KeptHandlers() {
    for (std::size_t k = 0; k < signals.size(); ++k) ::sigaction(signals[k], nullptr, &before_[k]);
  }
  ~KeptHandlers() {
    for (std::size_t k = 0; k < signals.size(); ++k) ::sigaction(signals[k], &before_[k], nullptr);
  }
  KeptHandlers& operator=(KeptHandlers&&) = delete;  // nor copied

 private:
  static constexpr std::array signals{SIGTERM, SIGABRT};
  std::array<struct sigaction, signals.size()> before_{};
};

// Blocked, a signal to the process would reach another thread, which METIS's handler cannot leave. So METIS may end for
// it, with the status that its own errors have. A handler of the process is told of the signal then. Where there is
// none, the signal would end the process, maybe for an error of METIS alone: that stays an error.
void hand_on_stop(int status) {
  struct sigaction now {};
  const bool handled = ::sigaction(SIGTERM, nullptr, &now) == 0 && now.sa_handler != SIG_DFL;
  if (status == METIS_ERROR && handled && !base::interrupt_requested()) static_cast<void>(std::raise(SIGTERM));
  base::throw_if_interrupted();
}

std::vector<std::int32_t> metis(Graph graph, int processes) {
  std::vector<idx_t> parts(graph.weights.size(), 0);
  idx_t vertices = static_cast<idx_t>(parts.size()), constraints = 1, k = processes, cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  base::throw_if_interrupted();
  int status = METIS_OK;
  {
    const KeptHandlers kept;
    status =
        METIS_PartGraphKway(&vertices, &constraints, graph.pointers.data(), graph.neighbours.data(),
                            graph.weights.data(), nullptr, nullptr, &k, nullptr, nullptr, options, &cut, parts.data());
  }
  hand_on_stop(status);
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
  Graph graph = weighted_graph(matrix);
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

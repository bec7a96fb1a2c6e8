#include "gpu_code/graph/model_power.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"

namespace sparsecast::gpu_code {
namespace {
/// A dense square matrix of the max-plus algebra, by rows.
struct Dense {
  std::size_t size;
  std::vector<double> values;

  explicit Dense(std::size_t n) : size(n), values(n * n, epsilon) {}
  double& at(std::size_t row, std::size_t column) { return values[row * size + column]; }
  [[nodiscard]] double at(std::size_t row, std::size_t column) const { return values[row * size + column]; }
};

Dense product(const Dense& a, const Dense& b) {
  Dense c(a.size);
  for (std::size_t i = 0; i < a.size; ++i)
    for (std::size_t k = 0; k < a.size; ++k) {
      const double first = a.at(i, k);
      if (first == epsilon) continue;
      for (std::size_t j = 0; j < a.size; ++j) c.at(i, j) = std::max(c.at(i, j), first + b.at(k, j));
    }
  return c;
}

Dense power_of(Dense base, std::int64_t exponent) {
  Dense result(base.size);
  for (std::size_t i = 0; i < base.size; ++i) result.at(i, i) = 0;
  for (; exponent > 0; exponent /= 2) {
    if (exponent % 2 == 1) result = product(result, base);
    if (exponent > 1) base = product(base, base);
  }
  return result;
}

Dense matrix_of(const KernelGraph& graph, PaperModel model) {
  const GraphTimes times = model_times(graph, model);
  Dense z(graph.nodes.size());
  for (std::size_t a = 0; a < graph.arcs.size(); ++a) {
    double& entry = z.at(at(graph.arcs[a].to), at(graph.arcs[a].from));
    entry = std::max(entry, times.arc[a]);
  }
  if (model != PaperModel::naive)
    for (std::size_t v = 0; v < graph.nodes.size(); ++v)
      if (!graph.nodes[v].time.is_zero()) z.at(v, v) = times.node[v];
  return z;
}
}  // namespace

ModelPower model_power(const KernelGraph& graph, PaperModel model) {
  if (graph.nodes.size() > most_nodes_of_power)
    throw Error(ErrorCode::bad_input,
                fmt::format("the graph has {} nodes: powers are computed for matrices of at most {} rows",
                            graph.nodes.size(), most_nodes_of_power),
                {}, wording::format("omit {}", wording::option("powers", true)));
  ModelPower power;
  power.height = height(graph, model != PaperModel::naive);
  const Dense z = power_of(matrix_of(graph, model), power.height);
  power.rows.resize(z.size);
  for (std::size_t i = 0; i < z.size; ++i)
    for (std::size_t j = 0; j < z.size; ++j)
      power.rows[i].push_back(z.at(i, j) == epsilon ? std::nullopt : std::optional(z.at(i, j)));
  return power;
}
}  // namespace sparsecast::gpu_code

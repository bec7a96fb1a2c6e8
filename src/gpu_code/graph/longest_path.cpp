#include "gpu_code/graph/longest_path.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <cstddef>
#include <numeric>
#include <sparsecast/error.hpp>

namespace sparsecast::gpu_code {
namespace {
/// Outgoing arcs of every node: arcs[first[v] … first[v+1]) as indices into graph.arcs.
struct Outgoing {
  std::vector<std::int32_t> first, arcs;
  explicit Outgoing(const KernelGraph& graph) : first(graph.nodes.size() + 1, 0), arcs(graph.arcs.size()) {
    for (const auto& arc : graph.arcs) ++first[at(arc.from) + 1];
    std::partial_sum(first.begin(), first.end(), first.begin());
    std::vector<std::int32_t> next(first.begin(), first.end() - 1);
    for (std::size_t a = 0; a < graph.arcs.size(); ++a)
      arcs[at(next[at(graph.arcs[a].from)]++)] = static_cast<std::int32_t>(a);
  }
};

std::vector<std::int32_t> incoming_counts(const KernelGraph& graph) {
  std::vector<std::int32_t> count(graph.nodes.size(), 0);
  for (const auto& arc : graph.arcs) ++count[at(arc.to)];
  return count;
}

[[noreturn]] void refuse_cycle(const KernelGraph& graph, const std::vector<std::int32_t>& waiting) {
  for (std::size_t v = 0; v < waiting.size(); ++v)
    if (waiting[v] > 0)
      throw Error(ErrorCode::bad_input,
                  fmt::format("the graph has a cycle through or before node '{}'",
                              graph.node_name(static_cast<std::int32_t>(v))),
                  {},
                  "a kernel graph must not have cycles: unroll loops, and give the time of an operation as the node's "
                  "\"time\"");
  throw Error(ErrorCode::bad_input, "the graph has a cycle");
}

using NodeKind = KernelGraph::NodeKind;
}  // namespace

std::vector<std::int32_t> topological_order(const KernelGraph& graph) {
  const Outgoing out(graph);
  auto waiting = incoming_counts(graph);
  std::vector<std::int32_t> order;
  order.reserve(graph.nodes.size());
  for (std::size_t v = 0; v < graph.nodes.size(); ++v)
    if (waiting[v] == 0) order.push_back(static_cast<std::int32_t>(v));
  for (std::size_t i = 0; i < order.size(); ++i)
    for (auto a = out.first[at(order[i])]; a < out.first[at(order[i]) + 1]; ++a) {
      const auto to = graph.arcs[at(out.arcs[at(a)])].to;
      if (--waiting[at(to)] == 0) order.push_back(to);
    }
  if (order.size() != graph.nodes.size()) refuse_cycle(graph, waiting);
  return order;
}

std::int32_t output_out_of_reach(const KernelGraph& graph) {
  const Outgoing out(graph);
  std::vector<char> reached(graph.nodes.size(), 0);
  for (const auto v : topological_order(graph)) {
    if (graph.nodes[at(v)].kind == NodeKind::input) reached[at(v)] = 1;
    if (!reached[at(v)]) continue;
    for (auto a = out.first[at(v)]; a < out.first[at(v) + 1]; ++a) reached[at(graph.arcs[at(out.arcs[at(a)])].to)] = 1;
  }
  for (std::size_t v = 0; v < graph.nodes.size(); ++v)
    if (!reached[v] && graph.nodes[v].kind == NodeKind::output) return static_cast<std::int32_t>(v);
  return -1;
}

std::int64_t height(const KernelGraph& graph, bool loops) {
  if (graph.nodes.empty()) return 0;
  // A node is removed with its level, which is its longest way from a node without incoming arcs.
  const Outgoing out(graph);
  std::vector<std::size_t> level(graph.nodes.size(), 0);
  for (const auto v : topological_order(graph))
    for (auto a = out.first[at(v)]; a < out.first[at(v) + 1]; ++a) {
      auto& to = level[at(graph.arcs[at(out.arcs[at(a)])].to)];
      to = std::max(to, level[at(v)] + 1);
    }
  const auto last = static_cast<std::int64_t>(*std::ranges::max_element(level));
  std::vector<char> computes(static_cast<std::size_t>(last) + 1, 0);
  for (std::size_t v = 0; v < level.size(); ++v)
    if (!graph.nodes[v].time.is_zero()) computes[level[v]] = 1;
  return loops ? last + std::ranges::count(computes, 1) : last;
}

PathTime longest_path(const KernelGraph& graph, const GraphTimes& times) {
  const Outgoing out(graph);
  const auto order = topological_order(graph);
  std::vector<double> ready(graph.nodes.size(), epsilon);
  std::vector<std::int32_t> before(graph.nodes.size(), -1);
  for (std::size_t v = 0; v < graph.nodes.size(); ++v)
    if (graph.nodes[v].kind == KernelGraph::NodeKind::input) ready[v] = 0;
  std::int32_t last = -1;
  PathTime path;
  for (const auto v : order) {
    if (ready[at(v)] == epsilon) continue;
    ready[at(v)] += times.node[at(v)];
    if (graph.nodes[at(v)].kind == KernelGraph::NodeKind::output && (last < 0 || ready[at(v)] > path.seconds)) {
      last = v;
      path.seconds = ready[at(v)];
    }
    for (auto a = out.first[at(v)]; a < out.first[at(v) + 1]; ++a) {
      const auto index = at(out.arcs[at(a)]);
      const auto to = at(graph.arcs[index].to);
      const double arrives = ready[at(v)] + times.arc[index];
      if (arrives > ready[to]) {
        ready[to] = arrives;
        before[to] = v;
      }
    }
  }
  for (auto v = last; v >= 0; v = before[at(v)]) path.nodes.push_back(v);
  std::reverse(path.nodes.begin(), path.nodes.end());
  return path;
}

ExtraArcForm extra_arc_form(const KernelGraph& graph, const GraphTimes& times) {
  std::vector<std::int64_t> result_of(graph.nodes.size());
  auto n = static_cast<std::int64_t>(graph.nodes.size());
  std::vector<MaxPlusEntry> entries;
  for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
    const auto node = static_cast<std::int64_t>(v);
    result_of[v] = graph.nodes[v].time.is_zero() ? node : n++;
    if (result_of[v] != node) entries.push_back({result_of[v], node, times.node[v]});
  }
  for (std::size_t a = 0; a < graph.arcs.size(); ++a)
    entries.push_back({graph.arcs[a].to, result_of[at(graph.arcs[a].from)], times.arc[a]});
  ExtraArcForm form;
  form.matrix = std::move(entries);
  form.inputs.assign(static_cast<std::size_t>(n), epsilon);
  form.outputs.assign(static_cast<std::size_t>(n), epsilon);
  for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
    if (graph.nodes[v].kind == KernelGraph::NodeKind::input) form.inputs[v] = 0;
    if (graph.nodes[v].kind == KernelGraph::NodeKind::output) form.outputs[static_cast<std::size_t>(result_of[v])] = 0;
  }
  form.height = gpu_code::height(graph, true);  // every loop became an arc
  return form;
}

double matrix_time(const KernelGraph& graph, const GraphTimes& times) {
  auto form = extra_arc_form(graph, times);
  for (std::size_t v = 0; v < form.inputs.size(); ++v)
    form.matrix.push_back({static_cast<std::int64_t>(v), static_cast<std::int64_t>(v), 0});
  const auto reached = graphblas::apply_power(form.matrix, form.height, form.inputs);
  double latest = epsilon;
  for (std::size_t v = 0; v < reached.size(); ++v) latest = std::max(latest, form.outputs[v] + reached[v]);
  return latest;
}
}  // namespace sparsecast::gpu_code

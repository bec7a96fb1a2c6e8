#include "gpu_code/graph/composite_graph.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "gpu_code/graph/paper_models.hpp"

namespace sparsecast::gpu_code {
namespace {
using Kind = KernelGraph::NodeKind;

/// The graph while it shrinks: numbers in place of names, neighbours as ordered maps to the arc's time.
struct Shrinking {
  struct Node {
    Kind kind;
    double time;
    std::string name;
    std::int32_t line = 0;
    std::int64_t composed = 1;
    bool critical = false, alive = true;
    std::map<std::int32_t, double> in = {}, out = {};
  };
  std::vector<Node> nodes;
  std::size_t alive = 0;

  Shrinking(const KernelGraph& graph, const std::vector<std::int32_t>& path) {
    nodes.reserve(graph.nodes.size());
    for (std::size_t v = 0; v < graph.nodes.size(); ++v) {
      const auto& n = graph.nodes[v];
      nodes.push_back({n.kind, graph.seconds(n.time), graph.node_name(static_cast<std::int32_t>(v)), n.line});
    }
    for (const auto v : path) nodes[static_cast<std::size_t>(v)].critical = true;
    for (const auto& arc : graph.arcs) connect(arc.from, arc.to, graph.seconds(arc.time));
    alive = nodes.size();
  }
  Node& at(std::int32_t v) { return nodes[static_cast<std::size_t>(v)]; }
  /// Parallel arcs become one with the larger time.
  void connect(std::int32_t from, std::int32_t to, double time) {
    auto& out = at(from).out.emplace(to, time).first->second;
    out = std::max(out, time);
    at(to).in[from] = out;
  }
  void remove(std::int32_t v) {
    for (const auto& [u, time] : at(v).in) at(u).out.erase(v);
    for (const auto& [w, time] : at(v).out) at(w).in.erase(v);
    at(v).alive = false;
    at(v).in.clear();
    at(v).out.clear();
    --alive;
  }
  /// u → v with nothing else between: v's time and what leaves it go to u.
  bool join_series(std::int32_t v) {
    if (at(v).in.size() != 1 || at(v).kind != Kind::state) return false;
    const auto [u, transfer] = *at(v).in.begin();
    if (at(u).out.size() != 1 || at(u).kind != Kind::state) return false;
    at(u).time += transfer + at(v).time;
    at(u).composed += at(v).composed;
    at(u).critical |= at(v).critical;
    const auto leaving = at(v).out;
    remove(v);
    for (const auto& [w, time] : leaving) connect(u, w, time);
    return true;
  }
  /// Siblings between the same two nodes become one that takes as long as the longest.
  bool join_parallel(std::int32_t u) {
    std::map<std::int32_t, std::vector<std::int32_t>> by_target;
    for (const auto& [v, time] : at(u).out)
      if (at(v).kind == Kind::state && at(v).in.size() == 1 && at(v).out.size() == 1)
        by_target[at(v).out.begin()->first].push_back(v);
    bool changed = false;
    for (const auto& [w, group] : by_target) {
      if (group.size() < 2) continue;
      double longest = 0;
      for (const auto v : group) longest = std::max(longest, at(u).out[v] + at(v).time + at(v).out[w]);
      const auto kept = group.front();
      for (std::size_t i = 1; i < group.size(); ++i) {
        at(kept).composed += at(group[i]).composed;
        at(kept).critical |= at(group[i]).critical;
        remove(group[i]);
      }
      at(u).out[kept] = at(kept).in[u] = 0;
      at(kept).out[w] = at(w).in[kept] = 0;
      at(kept).time = longest;
      changed = true;
    }
    return changed;
  }
  /// Inputs with one and the same reader, and outputs with one and the same writer: one of each, with the longest arc.
  bool join_ends() {
    bool changed = false;
    std::map<std::pair<int, std::int32_t>, std::int32_t> first;
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(nodes.size()); ++v) {
      auto& n = at(v);
      if (!n.alive || n.kind == Kind::state) continue;
      const bool input = n.kind == Kind::input;
      if ((input ? n.out : n.in).size() != 1 || !(input ? n.in : n.out).empty()) continue;
      const auto [other, transfer] = *(input ? n.out : n.in).begin();
      const auto [known, fresh] = first.emplace(std::pair{input ? 0 : 1, other}, v);
      if (fresh) continue;
      auto& kept = at(known->second);
      const double longest = std::max(kept.time + (input ? kept.out : kept.in)[other], n.time + transfer);
      kept.composed += n.composed;
      kept.critical |= n.critical;
      remove(v);
      kept.time = 0;
      if (input)
        kept.out[other] = at(other).in[known->second] = longest;
      else
        kept.in[other] = at(other).out[known->second] = longest;
      changed = true;
    }
    return changed;
  }
};
}  // namespace

CompositeGraph reduce(const KernelGraph& graph, const std::vector<std::int32_t>& path, std::size_t target) {
  Shrinking s(graph, path);
  for (bool changed = true; changed && s.alive > target;) {
    changed = s.join_ends();
    for (std::int32_t v = 0; v < static_cast<std::int32_t>(s.nodes.size()); ++v) {
      if (!s.at(v).alive) continue;
      while (s.at(v).alive && s.join_series(v)) changed = true;
      if (s.at(v).alive) changed |= s.join_parallel(v);
    }
  }
  CompositeGraph result;
  std::vector<std::int32_t> number(s.nodes.size(), -1);
  for (std::size_t v = 0; v < s.nodes.size(); ++v) {
    const auto& n = s.nodes[v];
    if (!n.alive) continue;
    number[v] = static_cast<std::int32_t>(result.graph.nodes.size());
    result.graph.nodes.push_back({n.name, n.kind, {-1, n.time}, n.line, -1});
    result.composed.push_back(n.composed);
    result.critical.push_back(n.critical);
  }
  for (std::size_t v = 0; v < s.nodes.size(); ++v)
    for (const auto& [w, time] : s.nodes[v].out)
      result.graph.arcs.push_back({number[v], number[static_cast<std::size_t>(w)], {-1, time}, Access::none});
  result.graph.instances = graph.instances;
  result.graph.executors = graph.executors;
  return result;
}
}  // namespace sparsecast::gpu_code

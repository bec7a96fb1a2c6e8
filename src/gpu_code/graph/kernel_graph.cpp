#include "gpu_code/graph/kernel_graph.hpp"

#include <numeric>
#include <unordered_map>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/json.hpp"

namespace sparsecast::gpu_code {
namespace {
std::size_t at(std::int32_t i) { return static_cast<std::size_t>(i); }

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
}  // namespace

std::int32_t KernelGraph::find_name(std::string_view name) const {
  for (std::size_t i = 0; i < names.size(); ++i)
    if (names[i].name == name) return static_cast<std::int32_t>(i);
  return -1;
}

std::int32_t KernelGraph::name_index(std::string_view name) {
  const auto found = find_name(name);
  if (found >= 0) return found;
  names.push_back({std::string(name), 0, false});
  return static_cast<std::int32_t>(names.size()) - 1;
}

double KernelGraph::seconds(const GraphTime& time) const {
  return time.name < 0 ? time.seconds : names[at(time.name)].seconds;
}

double KernelGraph::named_seconds(std::string_view name) const {
  const auto index = find_name(name);
  return index < 0 ? 0 : names[at(index)].seconds;
}

std::string KernelGraph::node_name(std::int32_t node) const {
  const auto& n = nodes[at(node)];
  if (!n.id.empty()) return n.id;
  return n.name >= 0 ? fmt::format("{}#{}", labels[at(n.name)], node) : fmt::format("#{}", node);
}

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

namespace sparsecast {

namespace gpu_code {
namespace {
using NodeKind = KernelGraph::NodeKind;
using TimeText = std::variant<double, std::string>;  ///< seconds, or a name

struct NodeText {
  std::string id;
  NodeKind kind = NodeKind::state;
  TimeText time = 0.0;
  std::int32_t line = 0;
};
struct ArcText {
  std::string from, to;
  TimeText time = 0.0;
  Access access = Access::none;
};
struct GraphText {
  std::string schema = "sparsecast/kernel-graph/1";
  std::vector<NodeText> nodes;
  std::vector<ArcText> arcs;
  std::vector<std::pair<std::string, double>> times;
  std::int64_t instances = 1, executors = 1;
};
constexpr NumberBounds seconds_bounds = between(0, 1e6);
}  // namespace
}  // namespace gpu_code

template <>
struct Words<gpu_code::NodeKind> {
  static constexpr std::array<std::pair<gpu_code::NodeKind, std::string_view>, 3> table{
      {{gpu_code::NodeKind::input, "input"},
       {gpu_code::NodeKind::state, "state"},
       {gpu_code::NodeKind::output, "output"}}};
};
template <>
struct Words<gpu_code::Access> {
  using enum gpu_code::Access;
  static constexpr auto table = std::to_array<std::pair<gpu_code::Access, std::string_view>>({
#define GRAPH_ACCESS(access, word) {access, word},
#include "gpu_code/graph/accesses.def"
  });
};
template <>
struct Fields<gpu_code::NodeText> {
  using Node = gpu_code::NodeText;
  static constexpr auto table = std::tuple(field<&Node::id>(""), field<&Node::kind>("").or_default(),
                                           field<&Node::time>("", gpu_code::seconds_bounds).where_known(),
                                           field<&Node::line>("", between(1, 1e9)).where_known());
};
template <>
struct Fields<gpu_code::ArcText> {
  using Arc = gpu_code::ArcText;
  static constexpr auto table =
      std::tuple(field<&Arc::from>(""), field<&Arc::to>(""),
                 field<&Arc::time>("", gpu_code::seconds_bounds).or_default(), field<&Arc::access>("").where_known());
};
template <>
struct Fields<gpu_code::GraphText> {
  using Graph = gpu_code::GraphText;
  static constexpr auto table = std::tuple(
      field<&Graph::schema>("").or_default(), field<&Graph::nodes>(""), field<&Graph::arcs>(""),
      field<&Graph::times>("", gpu_code::seconds_bounds).or_default(),
      field<&Graph::instances>("", at_least(1)).or_default(), field<&Graph::executors>("", at_least(1)).or_default());
};

namespace gpu_code {
namespace {
KernelGraph graph_of(GraphText&& text) {
  const auto refuse = [](const std::string& reason) { throw Error(ErrorCode::bad_input, reason); };
  if (text.schema != GraphText().schema) refuse("\"schema\" is not " + GraphText().schema);
  if (text.nodes.empty()) refuse("\"nodes\" is not a list of at least one node");
  KernelGraph graph;
  graph.instances = text.instances;
  graph.executors = text.executors;
  for (const auto& [name, seconds] : text.times)
    graph.names[static_cast<std::size_t>(graph.name_index(name))] = {name, seconds, true};
  const auto time = [&](const TimeText& given) -> GraphTime {
    if (const auto* name = std::get_if<std::string>(&given)) return {graph.name_index(*name), 0};
    return {-1, std::get<double>(given)};
  };
  std::unordered_map<std::string, std::int32_t> by_id;
  for (auto& node : text.nodes) {
    if (!by_id.emplace(node.id, static_cast<std::int32_t>(graph.nodes.size())).second)
      refuse(fmt::format("two nodes are called '{}'", node.id));
    graph.nodes.push_back({std::move(node.id), node.kind, time(node.time), node.line, -1});
  }
  const auto place = [&](const std::string& id) {
    const auto found = by_id.find(id);
    if (found == by_id.end()) refuse(fmt::format("arcs[{}] names no node: '{}'", graph.arcs.size(), id));
    return found->second;
  };
  for (const auto& arc : text.arcs) graph.arcs.push_back({place(arc.from), place(arc.to), time(arc.time), arc.access});
  (void)topological_order(graph);
  return graph;
}
}  // namespace

KernelGraph parse_graph(std::string_view text, const std::string& file) {
  const std::string remedy = "the file must hold one kernel graph (docs/schemas/kernel-graph.schema.json)";
  const auto document = base::parse_json(text, {file, remedy});
  try {
    return graph_of(fields::read_struct<GraphText>(document));
  } catch (const Error& error) {
    throw Error(error.code(), error.reason_text(), {file}, error.remedy_text().empty() ? remedy : error.remedy_text());
  }
}

KernelGraph read_graph(const std::filesystem::path& file) {
  return parse_graph(base::read_file(file, {.what = "graph"}), file.string());
}

std::string graph_to_json(const KernelGraph& graph) {
  const auto time = [&](const GraphTime& t) -> TimeText {
    if (t.name >= 0) return graph.names[static_cast<std::size_t>(t.name)].name;
    return t.seconds;
  };
  GraphText text;
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    text.nodes.push_back({graph.node_name(static_cast<std::int32_t>(i)), node.kind, time(node.time), node.line});
  }
  for (const auto& arc : graph.arcs)
    text.arcs.push_back({graph.node_name(arc.from), graph.node_name(arc.to), time(arc.time), arc.access});
  for (const auto& named : graph.names)
    if (named.defined) text.times.emplace_back(named.name, named.seconds);
  text.instances = graph.instances;
  text.executors = graph.executors;
  return base::json_text(fields::written(text), 1) + "\n";
}
}  // namespace gpu_code
}  // namespace sparsecast

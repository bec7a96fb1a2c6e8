#include "gpu_code/graph/graph_json.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>

#include "base/files.hpp"
#include "base/guard/parse_json.hpp"
#include "fields/json.hpp"
#include "gpu_code/graph/longest_path.hpp"

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code

namespace sparsecast {
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
}  // namespace sparsecast

namespace sparsecast::gpu_code {
namespace {
/// A loop drawn as an arc (the paper's figure 3) is its node's time.
void unroll_loops(KernelGraph& graph) {
  for (const auto& arc : graph.arcs) {
    if (arc.from != arc.to) continue;
    auto& node = graph.nodes[at(arc.to)];
    if (!node.time.is_zero() || arc.access != Access::none)
      throw Error(ErrorCode::bad_input,
                  fmt::format("node '{}' has a loop {}", node.id,
                              arc.access != Access::none ? "that is an access" : "beside its \"time\", or two loops"),
                  {}, "a loop is the time of an operation: give it once, as the node's \"time\"");
    node.time = arc.time;
  }
  std::erase_if(graph.arcs, [](const KernelGraph::Arc& arc) { return arc.from == arc.to; });
}

/// What a document may hold for its readers alone. docs/schemas/kernel-graph.schema.json has the same names.
bool is_remark(const std::string& key) {
  constexpr std::array<std::string_view, 6> names{"name", "label", "title", "description", "note", "comment"};
  return std::ranges::find(names, key) != names.end() || key.starts_with("comment") || key.starts_with('_') ||
         key.starts_with('$');
}

/// A misspelt key would be passed over, and the answer be that of another graph.
template <class Struct>
void require_known(const fields::Json& object, const std::string& place) {
  std::vector<std::string_view> known;
  each_field<Struct>([&](const auto& one) { known.push_back(one.key); });
  for (const auto& [key, value] : object.items())
    if (std::ranges::find(known, key) == known.end() && !is_remark(key))
      throw Error(ErrorCode::bad_input, fmt::format("{}\"{}\" is not known", place, key.substr(0, 60)), {},
                  fmt::format("correct or remove it; known are {}", fmt::join(known, ", ")));
}

void require_known_keys(const fields::Json& document) {
  require_known<GraphText>(document, "");
  const auto of_list = [&](const char* list, const auto& require) {
    std::size_t index = 0;
    for (const auto& one : document.at(list)) require(one, fmt::format("{}[{}].", list, index++));
  };
  of_list("nodes", require_known<NodeText>);
  of_list("arcs", require_known<ArcText>);
}

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
      refuse(fmt::format("two nodes have the name '{}'", node.id));
    graph.nodes.push_back({std::move(node.id), node.kind, time(node.time), node.line, -1});
  }
  const auto place = [&](const std::string& id) {
    const auto found = by_id.find(id);
    if (found == by_id.end())
      refuse(fmt::format("arcs[{}] names a node that does not exist: '{}'", graph.arcs.size(), id));
    return found->second;
  };
  for (const auto& arc : text.arcs) graph.arcs.push_back({place(arc.from), place(arc.to), time(arc.time), arc.access});
  unroll_loops(graph);
  (void)topological_order(graph);
  if (const auto lost = output_out_of_reach(graph); lost >= 0)
    throw Error(ErrorCode::bad_input, fmt::format("no input reaches the output '{}'", graph.node_name(lost)), {},
                "add the arcs that lead there, or make it a state");
  for (const auto& [kind, called] : {std::pair{NodeKind::input, "input"}, std::pair{NodeKind::output, "output"}})
    if (std::ranges::find(graph.nodes, kind, &KernelGraph::Node::kind) == graph.nodes.end())
      refuse(fmt::format("no node is of the kind \"{}\": the model needs a path from inputs to outputs", called));
  return graph;
}
}  // namespace

KernelGraph parse_graph(std::string_view text, const std::string& file) {
  const std::string remedy = "the file must hold one kernel graph (docs/schemas/kernel-graph.schema.json)";
  const auto document = base::parse_json(text, {file, remedy});
  try {
    auto graph = fields::read_struct<GraphText>(document);
    require_known_keys(document);
    return graph_of(std::move(graph));
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
}  // namespace sparsecast::gpu_code

#include "gpu_code/graph/kernel_graph.hpp"

#include <fmt/format.h>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sparsecast/error.hpp>
#include <unordered_map>

#include "base/files.hpp"

namespace sparsecast::gpu_code {
namespace {
using Json = nlohmann::json;

struct Reader {
  const std::string& file;

  [[noreturn]] void refuse(const std::string& reason,
                           const std::string& remedy = "see docs/schemas/kernel-graph.schema.json") const {
    throw Error(ErrorCode::bad_input, reason, {file}, remedy);
  }
  const Json& member(const Json& object, const char* key, const std::string& where) const {
    if (!object.is_object()) refuse(fmt::format("{} is not an object", where));
    const auto found = object.find(key);
    if (found == object.end()) refuse(fmt::format("{} has no \"{}\"", where, key));
    return *found;
  }
  const std::string& text(const Json& value, const char* key, std::size_t i, const char* list) const {
    if (!value.is_string()) refuse(fmt::format("{}[{}].{} is not a string", list, i, key));
    return value.get_ref<const std::string&>();
  }
  GraphTime time(KernelGraph& graph, const Json& value, const char* list, std::size_t i) const {
    if (value.is_string()) return {graph.name_index(value.get_ref<const std::string&>()), 0};
    if (!value.is_number()) refuse(fmt::format("{}[{}].time is neither a number of seconds nor a name", list, i));
    const double seconds = value.get<double>();
    if (!(seconds >= 0) || !std::isfinite(seconds))
      refuse(fmt::format("{}[{}].time is not a finite time of 0 or more", list, i));
    return {-1, seconds};
  }
  std::int64_t count(const Json& document, const char* key) const {
    const auto found = document.find(key);
    if (found == document.end()) return 1;
    if (!found->is_number_integer()) refuse(fmt::format("\"{}\" is not a whole number of 1 or more", key));
    return found->get<std::int64_t>();
  }
  /// "times": names and their seconds, both optional.
  void read_times(KernelGraph& graph, const Json& document) const {
    if (const auto times = document.find("times"); times != document.end()) {
      if (!times->is_object()) refuse("\"times\" is not an object");
      for (const auto& [name, value] : times->items()) {
        if (!value.is_number() || !(value.get<double>() >= 0) || !std::isfinite(value.get<double>()))
          refuse(fmt::format("times.{} is not a finite time of 0 or more", name));
        auto& named = graph.names[static_cast<std::size_t>(graph.name_index(name))];
        named.seconds = value.get<double>();
        named.defined = true;
      }
    }
  }
  using Ids = std::unordered_map<std::string_view, std::int32_t>;  ///< views into the document
  Ids read_nodes(KernelGraph& graph, const Json& nodes) const {
    Ids by_id;
    by_id.reserve(nodes.size());
    graph.nodes.reserve(nodes.size());
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      const Json& in = nodes[i];
      KernelGraph::Node node;
      const auto& id = text(member(in, "id", fmt::format("nodes[{}]", i)), "id", i, "nodes");
      node.id = id;
      if (const auto kind = in.find("kind"); kind != in.end()) {
        if (*kind == "input")
          node.kind = KernelGraph::NodeKind::input;
        else if (*kind == "output")
          node.kind = KernelGraph::NodeKind::output;
        else if (*kind != "state")
          refuse(fmt::format("nodes[{}].kind is not input, state or output", i));
      }
      if (const auto given = in.find("time"); given != in.end()) node.time = time(graph, *given, "nodes", i);
      if (!by_id.emplace(id, static_cast<std::int32_t>(i)).second) refuse(fmt::format("two nodes are called '{}'", id));
      graph.nodes.push_back(std::move(node));
    }
    return by_id;
  }
  void read_arcs(KernelGraph& graph, const Json& arcs, const Ids& by_id) const {
    graph.arcs.reserve(arcs.size());
    for (std::size_t i = 0; i < arcs.size(); ++i) {
      const Json& in = arcs[i];
      KernelGraph::Arc arc;
      for (const bool from : {true, false}) {
        const char* key = from ? "from" : "to";
        const Json& value = member(in, key, fmt::format("arcs[{}]", i));
        const auto found = by_id.find(text(value, key, i, "arcs"));
        if (found == by_id.end())
          refuse(fmt::format("arcs[{}].{} names no node: '{}'", i, key, value.get_ref<const std::string&>()));
        (from ? arc.from : arc.to) = found->second;
      }
      if (const auto given = in.find("time"); given != in.end()) arc.time = time(graph, *given, "arcs", i);
      if (const auto access = in.find("access");
          access != in.end() && !parse_access(text(*access, "access", i, "arcs"), arc.access))
        refuse(fmt::format("arcs[{}].access is unknown: '{}'", i, access->get_ref<const std::string&>()));
      graph.arcs.push_back(arc);
    }
  }
};
}  // namespace

KernelGraph parse_graph(std::string_view text, const std::string& file) {
  const Json document = base::parse_sorted_json(
      text, {file, "the file must hold one kernel graph (docs/schemas/kernel-graph.schema.json)"});
  const Reader reader{file};
  try {
    base::check_ranges(document, base::schema_ranges("kernel-graph"));
  } catch (const Error& error) {
    reader.refuse(error.reason());
  }
  if (!document.is_object()) reader.refuse("the document is not an object");
  if (const auto schema = document.find("schema"); schema != document.end() && *schema != "sparsecast/kernel-graph/1")
    reader.refuse("\"schema\" is not sparsecast/kernel-graph/1");
  KernelGraph graph;
  reader.read_times(graph, document);
  graph.instances = reader.count(document, "instances");
  graph.executors = reader.count(document, "executors");

  const Json& nodes = reader.member(document, "nodes", "the document");
  const Json& arcs = reader.member(document, "arcs", "the document");
  if (!nodes.is_array() || nodes.empty()) reader.refuse("\"nodes\" is not a list of at least one node");
  if (!arcs.is_array()) reader.refuse("\"arcs\" is not a list");
  if (nodes.size() > 500'000'000 || arcs.size() > 1'000'000'000) reader.refuse("the graph is too large");
  const auto by_id = reader.read_nodes(graph, nodes);
  reader.read_arcs(graph, arcs, by_id);
  try {
    (void)topological_order(graph);
  } catch (const Error& error) {
    throw Error(error.code(), error.reason(), {file}, error.remedy());
  }
  return graph;
}

KernelGraph read_graph(const std::filesystem::path& file) {
  return parse_graph(base::read_file(file, {.what = "graph"}), file.string());
}

std::string graph_to_json(const KernelGraph& graph) {
  nlohmann::ordered_json document;
  document["schema"] = "sparsecast/kernel-graph/1";
  constexpr std::array<const char*, 3> kinds = {"input", "state", "output"};
  const auto time = [&](const GraphTime& t) -> nlohmann::ordered_json {
    if (t.name >= 0) return graph.names[static_cast<std::size_t>(t.name)].name;
    return t.seconds;
  };
  auto& nodes = document["nodes"] = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < graph.nodes.size(); ++i) {
    const auto& node = graph.nodes[i];
    nlohmann::ordered_json out{{"id", graph.node_name(static_cast<std::int32_t>(i))},
                               {"kind", kinds[static_cast<std::size_t>(node.kind)]}};
    if (!node.time.is_zero()) out["time"] = time(node.time);
    if (node.line > 0) out["line"] = node.line;
    nodes.push_back(std::move(out));
  }
  auto& arcs = document["arcs"] = nlohmann::ordered_json::array();
  for (const auto& arc : graph.arcs) {
    nlohmann::ordered_json out{
        {"from", graph.node_name(arc.from)}, {"to", graph.node_name(arc.to)}, {"time", time(arc.time)}};
    if (arc.access != Access::none) out["access"] = to_string(arc.access);
    arcs.push_back(std::move(out));
  }
  document["times"] = nlohmann::ordered_json::object();
  for (const auto& named : graph.names)
    if (named.defined) document["times"][named.name] = named.seconds;
  document["instances"] = graph.instances;
  document["executors"] = graph.executors;
  return base::json_text(document, 1) + "\n";
}
}  // namespace sparsecast::gpu_code

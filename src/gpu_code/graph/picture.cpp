#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/files.hpp"
#include "base/markup.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/graph/kernel_graph.hpp"

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

std::string node_text(const CompositeGraph& c, std::size_t v) {
  const auto& n = c.graph.nodes[v];
  std::string text = n.id;
  if (c.composed[v] > 1) text += fmt::format(" (+{})", c.composed[v] - 1);
  return text;
}

/// Appended piece by piece: GCC 12 takes a literal before a temporary text for one that overlaps it (-Wrestrict).
std::string label_of(const CompositeGraph& c, std::size_t v) {
  const auto& node = c.graph.nodes[v];
  std::string text = node_text(c, v);
  if (node.time.seconds > 0) text += fmt::format("\n{}", base::format_seconds(node.time.seconds));
  if (node.line > 0) text += fmt::format("\nline {}", node.line);
  return text;
}

constexpr std::size_t drawable = 300;  // nodes
constexpr double column_width = 190, row_height = 52, node_width = 140, node_height = 34;

/// Places of nodes: levels from left to right, rows within a level.
class Layout {
 public:
  explicit Layout(const KernelGraph& graph) : in_(graph.nodes.size()), out_(in_), level_(in_.size(), 0) {
    for (const auto& arc : graph.arcs) {
      in_[static_cast<std::size_t>(arc.to)].push_back(static_cast<std::size_t>(arc.from));
      out_[static_cast<std::size_t>(arc.from)].push_back(static_cast<std::size_t>(arc.to));
    }
    const auto order = topological_order(graph);
    find_levels(order);
    for (const auto v : order) columns_[level_[static_cast<std::size_t>(v)]].push_back(static_cast<std::size_t>(v));
    find_rows();
  }

  [[nodiscard]] double width() const { return 40 + static_cast<double>(columns_.size()) * column_width; }
  [[nodiscard]] double height() const { return 2 * middle(); }
  [[nodiscard]] double x(std::size_t v) const {
    return 20 + static_cast<double>(level_[v] - columns_.begin()->first) * column_width;
  }
  [[nodiscard]] double y(std::size_t v) const { return middle() + row_[v] * row_height; }

 private:
  [[nodiscard]] double middle() const { return 0.5 * static_cast<double>(tallest_) * row_height + 20; }

  /// The longest way from an input in arcs; inputs stand directly before their first reader.
  void find_levels(const std::vector<std::int32_t>& order) {
    for (const auto v : order)
      for (const auto w : out_[static_cast<std::size_t>(v)])
        level_[w] = std::max(level_[w], level_[static_cast<std::size_t>(v)] + 1);
    for (std::size_t v = 0; v < level_.size(); ++v)
      if (in_[v].empty() && !out_[v].empty()) {
        std::int64_t least = INT64_MAX;
        for (const auto w : out_[v]) least = std::min(least, level_[w]);
        level_[v] = least - 1;
      }
  }

  /// Within a level nodes stand in the order of the mean place of what they come from, so that arcs cross little.
  void find_rows() {
    row_.assign(level_.size(), 0);
    const auto place = [&](std::size_t v) {
      double total = 0;
      for (const auto u : in_[v]) total += row_[u];
      return in_[v].empty() ? 0.0 : total / static_cast<double>(in_[v].size());
    };
    for (auto& [level, column] : columns_) {
      std::stable_sort(column.begin(), column.end(), [&](auto a, auto b) { return place(a) < place(b); });
      for (std::size_t i = 0; i < column.size(); ++i)
        row_[column[i]] = static_cast<double>(i) - 0.5 * static_cast<double>(column.size() - 1);
      tallest_ = std::max(tallest_, column.size());
    }
  }

  std::vector<std::vector<std::size_t>> in_, out_;
  std::vector<std::int64_t> level_;
  std::map<std::int64_t, std::vector<std::size_t>> columns_;
  std::vector<double> row_;
  std::size_t tallest_ = 1;
};

std::string arc_as_svg(const CompositeGraph& c, const KernelGraph::Arc& arc, const Layout& layout) {
  const auto from = static_cast<std::size_t>(arc.from), to = static_cast<std::size_t>(arc.to);
  const bool critical = c.critical[from] && c.critical[to];
  const double x1 = layout.x(from) + node_width, y1 = layout.y(from), x2 = layout.x(to), y2 = layout.y(to),
               bend = 0.5 * (x1 + x2);
  std::string text = fmt::format(
      "<path d=\"M{:.0f} {:.0f} C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}\" fill=\"none\" stroke=\"{}\" "
      "stroke-width=\"{}\"/>\n",
      x1, y1, bend, y1, bend, y2, x2, y2, critical ? "#c00" : "#999", critical ? 2 : 1);
  if (arc.time.seconds > 0)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" fill=\"#555\">{}</text>\n", bend,
                        0.5 * (y1 + y2) - 3, base::markup_escaped(base::format_seconds(arc.time.seconds)));
  return text;
}

std::string node_as_svg(const CompositeGraph& c, std::size_t v, const Layout& layout) {
  const auto& node = c.graph.nodes[v];
  const double x = layout.x(v), y = layout.y(v), time = node.time.seconds;
  std::string text = fmt::format(
      "<g><title>{}{}</title><rect x=\"{:.0f}\" y=\"{:.0f}\" width=\"{}\" height=\"{}\" rx=\"{}\" fill=\"{}\" "
      "stroke=\"{}\" stroke-width=\"{}\"/>",
      base::markup_escaped(node_text(c, v)), node.line > 0 ? fmt::format(", line {}", node.line) : "", x,
      y - node_height / 2, node_width, node_height, node.kind == Kind::state ? 16 : 2,
      node.kind == Kind::input    ? "#e7f0fb"
      : node.kind == Kind::output ? "#e9f7e9"
                                  : "#fff",
      c.critical[v] ? "#c00" : "#666", c.critical[v] ? 2 : 1);
  std::string name = node_text(c, v);
  if (name.size() > 22) name = name.substr(0, 21) + "…";
  text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\">{}</text>", x + node_width / 2,
                      y + (time > 0 ? -2 : 4), base::markup_escaped(name));
  if (time > 0)
    text += fmt::format("<text x=\"{:.0f}\" y=\"{:.0f}\" text-anchor=\"middle\" fill=\"#555\">{}</text>",
                        x + node_width / 2, y + 12, base::markup_escaped(base::format_seconds(time)));
  return text + "</g>\n";
}
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

std::string graph_to_dot(const CompositeGraph& c) {
  std::string text = "digraph kernel {\n  rankdir=LR;\n  node [shape=ellipse, fontname=\"sans-serif\"];\n";
  const auto quoted = [](const std::string& s) {
    std::string out = "\"";
    for (const char ch : s) {
      if (ch == '"' || ch == '\\') out += '\\';
      out += ch;
    }
    return out + "\"";
  };
  for (std::size_t v = 0; v < c.graph.nodes.size(); ++v) {
    const auto& n = c.graph.nodes[v];
    text += fmt::format("  n{} [label={}{}{}];\n", v, quoted(label_of(c, v)),
                        n.kind == Kind::state ? "" : ", shape=box", c.critical[v] ? ", color=red, penwidth=2" : "");
  }
  for (const auto& arc : c.graph.arcs) {
    const bool critical =
        c.critical[static_cast<std::size_t>(arc.from)] && c.critical[static_cast<std::size_t>(arc.to)];
    text += fmt::format("  n{} -> n{} [label={}{}];\n", arc.from, arc.to,
                        quoted(arc.time.seconds > 0 ? base::format_seconds(arc.time.seconds) : ""),
                        critical ? ", color=red, penwidth=2" : "");
  }
  return text + "}\n";
}

std::string graph_to_svg(const CompositeGraph& c) {
  const Layout layout(c.graph);
  // Shown no larger than a screen; whoever wants to read more enlarges it.
  constexpr double screen_width = 1280, screen_height = 800;
  const double shown = std::min({1.0, screen_width / layout.width(), screen_height / layout.height()});
  std::string text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{:.0f}\" height=\"{:.0f}\" viewBox=\"0 0 {:.0f} {:.0f}\" "
      "font-family=\"sans-serif\" font-size=\"11\">\n",
      layout.width() * shown, layout.height() * shown, layout.width(), layout.height());
  text += "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
  for (const auto& arc : c.graph.arcs) text += arc_as_svg(c, arc, layout);
  for (std::size_t v = 0; v < c.graph.nodes.size(); ++v) text += node_as_svg(c, v, layout);
  return text + "</svg>\n";
}

std::string drawn_graph(const KernelGraph& graph, const std::vector<std::int32_t>& path) {
  return graph_to_svg(reduce(graph, path, drawable));
}

void write_graph(const KernelGraph& graph, const std::vector<std::int32_t>& path, const std::filesystem::path& file) {
  std::string text;
  const auto extension = file.extension();
  if (extension == ".json")
    text = graph_to_json(graph);
  else if (extension == ".dot")
    text = graph_to_dot(reduce(graph, path, drawable));
  else if (extension == ".svg")
    text = drawn_graph(graph, path);
  else
    throw Error(ErrorCode::usage, wording::format("{}: what kind of file?", wording::option("graph", file)), {},
                "end its name in .json, .dot or .svg");
  base::write_file_atomically(file, text, {.what = "graph"});
}

std::string explain_path(const KernelGraph& graph, const std::vector<std::int32_t>& path) {
  if (path.size() < 2) return {};
  std::map<std::pair<std::int32_t, std::int32_t>, const KernelGraph::Arc*> arcs;
  std::set<std::int32_t> on_path(path.begin(), path.end());
  for (const auto& arc : graph.arcs)
    if (on_path.contains(arc.from) && on_path.contains(arc.to)) {
      auto& known = arcs[{arc.from, arc.to}];
      if (!known || graph.seconds(arc.time) > graph.seconds(known->time)) known = &arc;
    }
  struct Share {
    double seconds = 0;
    std::int64_t count = 0;
    std::set<std::int32_t> lines;
  };
  std::map<std::string, Share> shares;
  double total = 0;
  const auto add = [&](const GraphTime& time, std::int32_t line, const std::string& other) {
    if (time.is_zero()) return;
    auto& share = shares[time.name >= 0 ? graph.names[static_cast<std::size_t>(time.name)].name : other];
    share.seconds += graph.seconds(time);
    ++share.count;
    total += graph.seconds(time);
    if (line > 0) share.lines.insert(line);
  };
  for (std::size_t i = 0; i < path.size(); ++i) {
    const auto& node = graph.nodes[static_cast<std::size_t>(path[i])];
    add(node.time, node.line, node.name >= 0 ? graph.labels[static_cast<std::size_t>(node.name)] : "operations");
    if (i > 0)
      if (const auto arc = arcs.find({path[i - 1], path[i]}); arc != arcs.end())
        add(arc->second->time, node.line,
            node.name >= 0 ? graph.labels[static_cast<std::size_t>(node.name)] : "transfers");
  }
  std::vector<std::pair<std::string, Share>> list(shares.begin(), shares.end());
  std::sort(list.begin(), list.end(), [](const auto& a, const auto& b) { return a.second.seconds > b.second.seconds; });
  std::string text =
      fmt::format("\ncritical path of one instance: {} in {} states\n", base::format_seconds(total), path.size());
  for (std::size_t i = 0; i < std::min<std::size_t>(list.size(), 8); ++i) {
    const auto& [name, share] = list[i];
    std::string lines;
    for (const auto line : share.lines) {
      if (lines.size() > 40) {
        lines += ", …";
        break;
      }
      lines += (lines.empty() ? "" : ", ") + std::to_string(line);
    }
    text += fmt::format("  {:>6}  {} × {}{}\n", base::format_percent(total > 0 ? share.seconds / total : 0),
                        share.count, name, lines.empty() ? "" : fmt::format("  (lines {})", lines));
  }
  return text;
}
}  // namespace sparsecast::gpu_code

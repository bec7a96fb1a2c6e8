#include "gpu_code/graph/picture.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>
#include <sparsecast/error.hpp>

#include "base/files.hpp"
#include "base/markup.hpp"
#include "base/text.hpp"
#include "fields/wording.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/longest_path.hpp"

namespace sparsecast::gpu_code {
namespace {
using Kind = KernelGraph::NodeKind;

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
    throw Error(ErrorCode::usage,
                wording::format("{}: the kind of picture is not known", wording::option("graph", file)), {},
                "use a name that ends in .json, .dot or .svg");
  base::write_file_atomically(file, text, {.what = "graph"});
}
}  // namespace sparsecast::gpu_code

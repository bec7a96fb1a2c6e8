#include "gpu_code/graph/critical_path.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <map>
#include <set>

#include "base/text.hpp"

namespace sparsecast::gpu_code {
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

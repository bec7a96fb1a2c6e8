#include "gpu_code/graph/kernel_graph.hpp"

#include <fmt/format.h>
#include <cstddef>

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code

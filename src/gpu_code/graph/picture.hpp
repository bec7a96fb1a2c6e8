#pragma once
// Pictures of a kernel graph: DOT, SVG with a layout of our own (levels left to right), JSON; and the critical path in
// words. Large graphs are reduced to composite nodes first.

#include <filesystem>
#include <string>
#include <vector>

#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
// Large graphs are reduced to composite nodes: series become one node with the sum of the times, parallel equals one
// with the largest (Antonyuk & Mikheev 2022, section 11, Table 1), which leaves the time as it is.

/// Series and parallel reduction with the times of the operations model, until nothing changes or at most `target`
/// nodes are left. The time from inputs to outputs stays the same. `composed[v]` counts the original nodes in node v.
struct CompositeGraph {
  KernelGraph graph;
  std::vector<std::int64_t> composed;
  std::vector<char> critical;  ///< holds a node of the critical path
};
[[nodiscard]] CompositeGraph reduce(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path,
                                    std::size_t target);

[[nodiscard]] std::string graph_to_dot(const CompositeGraph& composite);
[[nodiscard]] std::string graph_to_svg(const CompositeGraph& composite);
/// The graph as an SVG, reduced to what an eye can follow.
[[nodiscard]] std::string drawn_graph(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path);
/// By the file's extension: .json, .dot or .svg. Error usage for another, failed where it cannot be written.
void write_graph(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path,
                 const std::filesystem::path& file);

/// "critical path: …", what it is made of, longest share first, with source lines; empty for an empty path.
[[nodiscard]] std::string explain_path(const KernelGraph& graph, const std::vector<std::int32_t>& path);
}  // namespace sparsecast::gpu_code

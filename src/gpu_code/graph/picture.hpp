#pragma once
// Pictures of a kernel graph: DOT, SVG with a layout of our own (levels left to right), JSON.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "gpu_code/graph/composite_graph.hpp"

namespace sparsecast::gpu_code {
[[nodiscard]] std::string graph_to_dot(const CompositeGraph& composite);
[[nodiscard]] std::string graph_to_svg(const CompositeGraph& composite);
/// The graph as an SVG, reduced to what an eye can follow.
[[nodiscard]] std::string drawn_graph(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path);
/// By the file's extension: .json, .dot or .svg. Error usage for another, failed where it cannot be written.
void write_graph(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path,
                 const std::filesystem::path& file);
}  // namespace sparsecast::gpu_code

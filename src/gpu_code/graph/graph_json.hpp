#pragma once
// Kernel graphs as JSON files (docs/schemas/kernel-graph.schema.json).

#include <filesystem>
#include <string>
#include <string_view>

#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
/// A graph file, schema sparsecast/kernel-graph/1. Error bad_input with file and reason: unknown nodes, cycles, bad
/// times.
[[nodiscard]] KernelGraph read_graph(const std::filesystem::path& file);
[[nodiscard]] KernelGraph parse_graph(std::string_view text, const std::string& file);
[[nodiscard]] std::string graph_to_json(const KernelGraph& graph);
}  // namespace sparsecast::gpu_code

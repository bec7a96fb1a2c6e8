#pragma once
// A critical path in words.

#include <cstdint>
#include <string>
#include <vector>

#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
/// "critical path: …", what it is made of, longest share first, with source lines; empty for an empty path.
[[nodiscard]] std::string explain_path(const KernelGraph& graph, const std::vector<std::int32_t>& path);
}  // namespace sparsecast::gpu_code

#pragma once
// Large graphs are reduced to composite nodes: series become one node with the sum of the times, parallel equals one
// with the largest (Antonyuk & Mikheev 2022, section 11, Table 1), which leaves the time as it is.

#include <cstddef>
#include <cstdint>
#include <vector>

#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
/// Series and parallel reduction with the times of the operations model, until nothing changes or at most `target`
/// nodes are left. The time from inputs to outputs stays the same. `composed[v]` counts the original nodes in node v.
struct CompositeGraph {
  KernelGraph graph;
  std::vector<std::int64_t> composed;
  std::vector<char> critical;  ///< holds a node of the critical path
};
[[nodiscard]] CompositeGraph reduce(const KernelGraph& graph, const std::vector<std::int32_t>& critical_path,
                                    std::size_t target);
}  // namespace sparsecast::gpu_code

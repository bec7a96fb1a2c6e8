#pragma once
// `overlapped` of a graph from a file, whose instances have no code to simulate: from the cycle mean of its event
// graph.

#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/overlap/overlap_model.hpp"

namespace sparsecast::gpu_code {
/// n instances in flight, one port for global accesses that takes dt a load and dT a store.
[[nodiscard]] KernelEstimate overlapped_graph(const KernelGraph& graph);
}  // namespace sparsecast::gpu_code

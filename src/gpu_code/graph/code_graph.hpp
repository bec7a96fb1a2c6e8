#pragma once
// From a trace to a kernel graph: one node per data state, one arc per operation or access, barriers in series, and
// iterations that the trace leaves out as one composite node (Antonyuk & Mikheev 2022, sections 10 and 11).

#include <cstdint>

#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/ptx/ptx_machine.hpp"
#include "gpu_code/times/kernel_times.hpp"
#include "gpu_code/trace/block_trace.hpp"

namespace sparsecast::gpu_code {
struct CodeGraph {
  KernelGraph graph;                                     ///< one instance is one warp
  std::int64_t loads = 0, stores = 0;                    ///< global accesses of one instance
  std::int64_t loads_in_graph = 0, stores_in_graph = 0;  ///< the others are in composite nodes
};

/// The graph of the trace's first warp. Times are named by class (t, T, tau.fma, …) and take their values from the
/// table.
[[nodiscard]] CodeGraph code_graph(const PtxCode& code, const BlockTrace& trace, const KernelTimes& times);
}  // namespace sparsecast::gpu_code

#pragma once
// The longest path through a kernel graph: node by node in an order in which every arc goes forward, or by
// matrix-vector products of the max-plus algebra.

#include <cstdint>
#include <vector>

#include "gpu_code/graph/graphblas.hpp"
#include "gpu_code/graph/kernel_graph.hpp"

namespace sparsecast::gpu_code {
/// Nodes in an order in which every arc goes forward. Error bad_input naming a node on a cycle.
[[nodiscard]] std::vector<std::int32_t> topological_order(const KernelGraph& graph);

/// The first output that no path from an input leads to, −1 where there is none. The graph has no cycles.
[[nodiscard]] std::int32_t output_out_of_reach(const KernelGraph& graph);

/// Height by repeated removal of nodes without incoming arcs (paper, section 6 and figure 2). With `loops`, the loop of
/// every computing node is removed in a step of its own (section 8 and figure 4).
[[nodiscard]] std::int64_t height(const KernelGraph& graph, bool loops);

/// Times per arc and per node, in the order of the graph.
struct GraphTimes {
  std::vector<double> arc, node;
};

struct PathTime {
  double seconds = 0;               ///< from the inputs (all ready at 0) to the last output
  std::vector<std::int32_t> nodes;  ///< a critical path, from input to output
};
/// Linear in nodes and arcs. A path starts at an input and ends at an output.
[[nodiscard]] PathTime longest_path(const KernelGraph& graph, const GraphTimes& times);

/// Z of the paper (z_ij = time from node j to node i) without loops (section 8): computing node v becomes v and v'
/// (number nodes + k) with an arc τ.
struct ExtraArcForm {
  std::vector<MaxPlusEntry> matrix;
  std::vector<double> inputs, outputs;  ///< 1_i and 1_o
  std::int64_t height = 0;
};
[[nodiscard]] ExtraArcForm extra_arc_form(const KernelGraph& graph, const GraphTimes& times);

/// ⟨1_o, (Z ⊕ I)^⊙h ⊙ 1_i⟩ of the extra-arc form by h matrix-vector products on GraphBLAS. I is added because paths
/// shorter than the height must count too; the paper's examples have paths of one length only.
[[nodiscard]] double matrix_time(const KernelGraph& graph, const GraphTimes& times);
}  // namespace sparsecast::gpu_code

#pragma once
// KernelGraph: a kernel as a directed graph of data states (Antonyuk & Mikheev 2022, section 5). A node is a state of
// data, an arc a transfer; both may take time. One graph describes one instance (one thread, or one warp) of the
// kernel. Where the graph comes from (JSON, PTX) and the models that put times to it stand in other files.

#include <filesystem>
#include <limits>
#include <sparsecast/kernel_forecast.hpp>


namespace sparsecast::gpu_code {
// The max-plus algebra (ℝ ∪ {−∞}, ⊕ = max, ⊙ = +; Antonyuk & Mikheev 2022, sections 4 and 5) on
// SuiteSparse:GraphBLAS.

/// ε, neutral for ⊕ and absorbing for ⊙: what an absent entry of a sparse matrix is.
inline constexpr double epsilon = -std::numeric_limits<double>::infinity();

struct MaxPlusEntry {
  std::int64_t row = 0, col = 0;
  double value = 0;
};

namespace graphblas {
[[nodiscard]] bool available() noexcept;
/// Version text for --version; empty where not built in.
[[nodiscard]] const char* version() noexcept;
/// A^⊙m ⊙ x by m sparse matrix-vector products, never a dense power; A is square, of as many rows as x has elements,
/// and where two of its entries share a place the larger holds. Stops early at the zero vector (all ε). Error
/// unavailable where GraphBLAS is not built in.
[[nodiscard]] std::vector<double> apply_power(std::span<const MaxPlusEntry> a, std::int64_t m,
                                              std::span<const double> x);
}  // namespace graphblas

/// What an arc does. Only the two global accesses queue in the paper's third model.
enum class Access : std::uint8_t {
#define GRAPH_ACCESS(access, word) access,
#include "gpu_code/graph/accesses.def"
};
/// In the queue of loads, whose places lie dt apart, and in that of stores, dT.
[[nodiscard]] constexpr bool queues_as_load(Access access) {
  return access == Access::global_load || access == Access::global_atomic;
}
[[nodiscard]] constexpr bool queues_as_store(Access access) { return access == Access::global_store; }

/// A time: a name of KernelGraph::names, or seconds where `name` is −1.
struct GraphTime {
  std::int32_t name = -1;
  double seconds = 0;
  [[nodiscard]] bool is_zero() const noexcept { return name < 0 && seconds == 0; }
};

struct KernelGraph {
  enum class NodeKind : std::uint8_t { input, state, output };
  struct Node {
    std::string id;  ///< may be empty in graphs made from code
    NodeKind kind = NodeKind::state;
    GraphTime time;          ///< τ of the operation that makes this state; zero where it is only a place
    std::int32_t line = 0;   ///< source line (.loc) or PTX line, 0 where not known
    std::int32_t name = -1;  ///< index into KernelGraph::labels: what the node computes
  };
  struct Arc {
    std::int32_t from = 0, to = 0;
    GraphTime time;
    Access access = Access::none;
  };
  struct NamedTime {
    std::string name;
    double seconds = 0;
    bool defined = false;
  };

  std::vector<Node> nodes;
  std::vector<Arc> arcs;
  std::vector<NamedTime> names;
  std::vector<std::string> labels;
  std::int64_t instances = 1;  ///< N
  std::int64_t executors = 1;  ///< n

  /// Index of a named time, appended where it is new.
  std::int32_t name_index(std::string_view name);
  /// −1 where there is no such name.
  [[nodiscard]] std::int32_t find_name(std::string_view name) const;
  [[nodiscard]] double seconds(const GraphTime& time) const;
  /// 0 where there is no such name.
  [[nodiscard]] double named_seconds(std::string_view name) const;
  [[nodiscard]] std::string node_name(std::int32_t node) const;
  [[nodiscard]] std::int64_t waves() const { return (instances + executors - 1) / executors; }
};

/// Nodes in an order in which every arc goes forward. Error bad_input naming a node on a cycle.
[[nodiscard]] std::vector<std::int32_t> topological_order(const KernelGraph& graph);

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

// As JSON files (docs/schemas/kernel-graph.schema.json).

/// A graph file, schema sparsecast/kernel-graph/1. Error bad_input with file and reason: unknown nodes, cycles, bad
/// times.
[[nodiscard]] KernelGraph read_graph(const std::filesystem::path& file);
[[nodiscard]] KernelGraph parse_graph(std::string_view text, const std::string& file);
[[nodiscard]] std::string graph_to_json(const KernelGraph& graph);

// The paper's three models of a kernel graph, as numbers and as expressions (Antonyuk & Mikheev 2022, sections 5 to 9):
//   naive       only transfers take time                          ⌈N/n⌉ ⟨1_o, Z₁^⊙h ⊙ 1_i⟩
//   operations  operations take time too                          ⌈N/n⌉ ⟨1_o, Z₂^⊙h ⊙ 1_i⟩
//   serialized  and accesses to global memory of n executors queue ⌈N/n⌉ ⟨1_o, Z₃^⊙h ⊙ 1_i⟩
// In the third, with r loads per instance, load k of the last instance waits (r·n − r + k − 1)·dt; stores with dT.

enum class PaperModel { naive, operations, serialized };
[[nodiscard]] std::string_view to_string(PaperModel model) noexcept;

/// Times of the graph under one model; dt and dT are the graph's named times of those names (0 where absent).
[[nodiscard]] GraphTimes model_times(const KernelGraph& graph, PaperModel model);
struct GraphEstimate {
  double seconds = 0;              ///< of all N instances
  double instance_seconds = 0;     ///< of one wave
  std::vector<std::int32_t> path;  ///< critical path
};
/// `matrix` evaluates by matrix-vector products on GraphBLAS in place of the longest path.
[[nodiscard]] GraphEstimate estimate(const KernelGraph& graph, PaperModel model, bool matrix = false);
/// "ceil(N/n)*(T+tau+t)"; alternatives that no choice of times can make the longest are left out.
/// Error failed where more than 64 alternatives remain.
[[nodiscard]] std::string expression(const KernelGraph& graph, PaperModel model);
/// What the symbols of the estimates' expressions stand for, a line each. `from_code`: the times' names are those of a
/// graph made from code, which say what they are of.
[[nodiscard]] std::string explain_symbols(const KernelGraph& graph, const std::vector<LaunchEstimate>& estimates,
                                          bool from_code);
/// Names of times that the model needs and the graph does not define.
[[nodiscard]] std::vector<std::string> undefined_times(const KernelGraph& graph, PaperModel model);

// Pictures of a kernel graph: DOT, SVG with a layout of our own (levels left to right), JSON; and the critical path in
// words. Large graphs are reduced to composite nodes first.

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

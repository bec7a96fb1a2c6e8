#pragma once
// KernelGraph: a kernel as a directed graph of data states (Antonyuk & Mikheev 2022, section 5). A node is a state of
// data, an arc a transfer; both may take time. One graph describes one instance (one thread, or one warp) of the
// kernel. Where the graph comes from (JSON, code) and the models that put times to it stand in other files.

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast::gpu_code {
/// A node or an arc as the index of a list.
[[nodiscard]] constexpr std::size_t at(std::int32_t number) { return static_cast<std::size_t>(number); }

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
}  // namespace sparsecast::gpu_code

#pragma once
// The matrix of a kernel graph under one of the paper's models, to the power of its height: what the paper prints as
// Z₁^⊙h, Z₂^⊙h and Z₃^⊙h (Antonyuk & Mikheev 2022, sections 6, 8 and 9).

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "gpu_code/graph/paper_models.hpp"

namespace sparsecast::gpu_code {
struct ModelPower {
  std::int64_t height = 0;
  /// Row i, column j: the longest time over paths of `height` arcs and loops from node j to node i, in the order of the
  /// graph's nodes; nothing where there is no such path.
  std::vector<std::vector<std::optional<double>>> rows;
};

/// Nodes up to which a power is made: a matrix of so many rows is still read by a program.
inline constexpr std::size_t most_nodes_of_power = 200;

/// An operation's time is a loop at its node; `naive` has none. Error bad_input where the graph has more nodes.
[[nodiscard]] ModelPower model_power(const KernelGraph& graph, PaperModel model);
}  // namespace sparsecast::gpu_code

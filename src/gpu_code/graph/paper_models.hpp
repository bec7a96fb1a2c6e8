#pragma once
// The paper's three models of a kernel graph, as numbers and as expressions (Antonyuk & Mikheev 2022, sections 5 to 9):
//   naive       only transfers take time                          ⌈N/n⌉ ⟨1_o, Z₁^⊙h ⊙ 1_i⟩
//   operations  operations take time too                          ⌈N/n⌉ ⟨1_o, Z₂^⊙h ⊙ 1_i⟩
//   serialized  and accesses to global memory of n executors queue ⌈N/n⌉ ⟨1_o, Z₃^⊙h ⊙ 1_i⟩
// In the third, with r loads per instance, load k of the last instance waits (r·n − r + k − 1)·dt; stores with dT.

#include <cstdint>
#include <sparsecast/kernel_forecast.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "gpu_code/graph/longest_path.hpp"

namespace sparsecast::gpu_code {
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
/// Error bad_input where more than 1,000 alternatives remain.
[[nodiscard]] std::string expression(const KernelGraph& graph, PaperModel model);
/// What the symbols of the estimates' expressions stand for, a line each. `from_code`: the times' names are those of a
/// graph made from code, which say what they are of.
[[nodiscard]] std::string explain_symbols(const KernelGraph& graph, const std::vector<LaunchEstimate>& estimates,
                                          bool from_code);
/// Names of times that the model needs and the graph does not define.
[[nodiscard]] std::vector<std::string> undefined_times(const KernelGraph& graph, PaperModel model);
}  // namespace sparsecast::gpu_code

#pragma once
// What a report says of a kernel graph, whether it came from a file or from code: sizes, the paper's models, powers.

#include <cstdint>
#include <string>
#include <string_view>

#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/kernel_analysis.hpp"

namespace sparsecast::gpu_code {
inline constexpr PaperModel paper_models[] = {PaperModel::naive, PaperModel::operations, PaperModel::serialized};

/// Was the model asked for?
[[nodiscard]] bool wanted(const AnalysisOptions& options, std::string_view model);

/// Nodes, arcs, instances, executors, and the height.
void describe_graph(KernelReport& report, const KernelGraph& graph, std::int64_t height);

/// Height and power of the model's matrix. `file` is for messages.
void add_power(LaunchEstimate& estimate, const KernelGraph& graph, PaperModel model, const std::string& file);
}  // namespace sparsecast::gpu_code

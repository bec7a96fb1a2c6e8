#pragma once
// Time of one kernel launch by all models: from its code (PTX, source through a compiler) and a device's table, or from
// a graph file. This is what the command and other rooms call.

#include <cstdint>
#include <filesystem>
#include <optional>
#include <sparsecast/kernel_forecast.hpp>
#include <sparsecast/wording.hpp>
#include <string>
#include <vector>

#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/kernel_code.hpp"
#include "gpu_code/times/occupancy.hpp"
#include "gpu_code/trace/launch.hpp"

namespace sparsecast::gpu_code {
/// The answer, and what it was made from.
struct KernelReport : LaunchTime {
  std::optional<Occupancy> fits;
  KernelResources resources;
  KernelGraph graph;
  std::vector<std::int32_t> path;  ///< critical, of the operations model
};

/// "naive", "operations", "serialized", "overlapped".
[[nodiscard]] const std::vector<std::string>& kernel_models();

struct AnalysisOptions {
  std::vector<std::string> models;  ///< empty: all
  bool symbolic = false;
  bool powers = false;           ///< heights and powers of the paper's matrices
  bool matrix_form = false;      ///< evaluate the paper's models by GraphBLAS
  bool advice = false;           ///< says what to change next, which takes further forecasts
  Voice voice = Voice::library;  ///< of its notes
};

/// A graph file's graph. Error bad_input naming undefined times unless symbolic.
[[nodiscard]] KernelReport analyze_graph(KernelGraph graph, const std::string& file, const AnalysisOptions& options);

[[nodiscard]] KernelReport analyze_code(const KernelCode& code, Launch launch, const KernelTimes& times,
                                        const AnalysisOptions& options);
}  // namespace sparsecast::gpu_code

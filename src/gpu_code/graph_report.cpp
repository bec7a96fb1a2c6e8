#include "gpu_code/graph_report.hpp"

#include <fmt/format.h>
#include <algorithm>
#include <optional>
#include <sparsecast/error.hpp>

#include "fields/wording.hpp"
#include "gpu_code/graph/longest_path.hpp"
#include "gpu_code/graph/model_power.hpp"

namespace sparsecast::gpu_code {
namespace {
/// `overlapped` of a graph from a file, whose instances have no code to simulate: n of them are in flight, one port for
/// global accesses takes dt a load and dT a store. The period of this event graph in its steady state, the eigenvalue
/// of its max-plus matrix, is its greatest cycle mean; its cycles are the port, and the chain shared out over n.
LaunchEstimate overlapped_graph(const KernelGraph& graph) {
  const double chain = estimate(graph, PaperModel::operations).instance_seconds,
               share = chain / static_cast<double>(graph.executors);
  double port = 0;
  for (const auto& arc : graph.arcs) {
    if (queues_as_load(arc.access)) port += graph.named_seconds("dt");
    if (queues_as_store(arc.access)) port += graph.named_seconds("dT");
  }
  // The first instance takes its whole chain, each further one the period.
  return {.model = "overlapped",
          .seconds = chain + static_cast<double>(graph.instances - 1) * std::max(share, port),
          .bound_by = port > share * (1 + 1e-12) ? "memory port" : "latency chain"};
}

/// The paper's formula lets all n executors queue, also those to which no instance is left.
std::optional<std::string> idle_executors_note(const KernelGraph& graph, const KernelReport& report) {
  const bool queued = std::ranges::any_of(
      graph.arcs, [](const auto& arc) { return queues_as_load(arc.access) || queues_as_store(arc.access); });
  const bool told = std::ranges::any_of(
      report.estimates, [](const auto& e) { return e.model == to_string(PaperModel::serialized) && e.seconds; });
  if (!queued || !told || graph.executors <= graph.instances) return std::nullopt;
  return fmt::format(
      "serialized is the paper's formula, in which all {} executors queue for memory, though {} have an instance: "
      "\"executors\": {} leaves the others out",
      graph.executors, graph.instances, graph.instances);
}
}  // namespace

bool wanted(const AnalysisOptions& options, std::string_view model) {
  return options.models.empty() || std::ranges::find(options.models, model) != options.models.end();
}

void describe_graph(KernelReport& report, const KernelGraph& graph, std::int64_t height) {
  report.nodes = static_cast<std::int64_t>(graph.nodes.size());
  report.arcs = static_cast<std::int64_t>(graph.arcs.size());
  report.instances = graph.instances;
  report.executors = graph.executors;
  report.height = height;
}

void add_power(LaunchEstimate& estimate, const KernelGraph& graph, PaperModel model, const std::string& file) {
  try {
    ModelPower power = model_power(graph, model);
    estimate.height = power.height;
    estimate.power = std::move(power.rows);
  } catch (const Error& error) {
    throw Error(error.code(), error.reason_text(), {file}, error.remedy_text());
  }
}

KernelReport analyze_graph(KernelGraph graph, const std::string& file, const AnalysisOptions& options) {
  KernelReport report;
  report.kernel = std::filesystem::path(file).stem().string();
  const bool computes = std::ranges::any_of(graph.nodes, [](const auto& n) { return !n.time.is_zero(); });
  describe_graph(report, graph, height(graph, computes));
  for (const auto model : paper_models) {
    if (!wanted(options, to_string(model))) continue;
    const auto missing = undefined_times(graph, model);
    LaunchEstimate e;
    e.model = to_string(model);
    if (missing.empty()) {
      const auto result = estimate(graph, model, options.matrix_form);
      e.seconds = result.seconds;
      if (options.powers) add_power(e, graph, model, file);
      if (model == PaperModel::operations || report.path.empty()) report.path = result.path;
      e.bound_by = "critical path";
    } else if (!options.symbolic) {
      // dt and dT are asked for only by the model that needs them; without them it is left out unless asked for.
      const bool only_queue = std::ranges::all_of(missing, [](const auto& n) { return n == "dt" || n == "dT"; });
      if (only_queue && options.models.empty()) {
        report.notes.push_back(
            fmt::format("serialized is omitted: \"times\" does not define {}", fmt::join(missing, ", ")));
        continue;
      }
      throw Error(ErrorCode::bad_input, fmt::format("\"times\" does not define {}", fmt::join(missing, ", ")), {file},
                  "define them, or ask for " + wording::option("symbolic", true));
    }
    if (options.symbolic) e.expression = expression(graph, model);
    report.estimates.push_back(std::move(e));
  }
  if (wanted(options, "overlapped") && undefined_times(graph, PaperModel::operations).empty())
    report.estimates.push_back(overlapped_graph(graph));
  if (auto note = idle_executors_note(graph, report)) report.notes.push_back(std::move(*note));
  report.graph = std::move(graph);
  return report;
}
}  // namespace sparsecast::gpu_code

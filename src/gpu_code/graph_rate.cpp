// See graph_rate.hpp.

#include "gpu_code/graph_rate.hpp"

#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/overlap/event_graph.hpp"

namespace sparsecast::gpu_code {
KernelEstimate overlapped_graph(const KernelGraph& graph) {
  const auto chain = estimate(graph, PaperModel::operations);
  double port = 0;
  const auto value = [&](const char* name) {
    const auto index = graph.find_name(name);
    return index < 0 ? 0.0 : graph.names[static_cast<std::size_t>(index)].seconds;
  };
  for (const auto& arc : graph.arcs) {
    if (arc.access == Access::global_load || arc.access == Access::global_atomic) port += value("dt");
    if (arc.access == Access::global_store) port += value("dT");
  }
  EventGraph events;
  events.arc("instance", "instance", chain.instance_seconds, static_cast<double>(graph.executors));
  events.arc("memory port", "memory port", port, 1);
  events.arc("instance", "memory port", 0, 0);
  events.arc("memory port", "instance", 0, static_cast<double>(graph.executors));
  const auto rate = howard(events);
  KernelEstimate result;
  result.model = "overlapped";
  // The first instance takes its whole chain, each further one the period.
  result.seconds = chain.instance_seconds + static_cast<double>(graph.instances - 1) * rate.eigenvalue;
  result.bound_by = rate.eigenvalue > chain.instance_seconds / static_cast<double>(graph.executors) * (1 + 1e-12)
                        ? "memory port"
                        : "latency chain";
  return result;
}
}  // namespace sparsecast::gpu_code

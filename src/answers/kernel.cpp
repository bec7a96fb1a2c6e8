// kernel: one launch, or a graph, by every model.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/kernel.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "answers/kernel_inputs.hpp"
#include "base/guard/cleanup.hpp"
#include "base/interrupt.hpp"
#include "gpu_code/graph/graph_json.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/graph/picture.hpp"
#include "gpu_code/own/own_product.hpp"

namespace sparsecast {
namespace {
using namespace gpu_code;

KernelReport own_report(const KernelRequest& request, const AnalysisOptions& options) {
  if (!request.matrix)
    throw Error(ErrorCode::usage, fmt::format("--own {}: of which matrix?", request.own), {}, "give --matrix FILE");
  const KernelTimes times = answers::kernel_times_of(request);
  const Matrix matrix = answers::matrix_of(*request.matrix, request.threads, request.listener);
  return analyze_own(own_launches(matrix, analyze(matrix), request.own, request.precision, times), request.own, times,
                     options);
}

KernelReport code_report(const KernelRequest& request, const AnalysisOptions& options) {
  const KernelTimes times = answers::kernel_times_of(request);
  const std::string name = request.file.string();
  const bool is_file = !request.file.extension().empty();
  const std::filesystem::path source = is_file ? request.file : own_kernel_source(name);
  if (request.grid[0] == 0 || request.block[0] == 0)
    throw Error(ErrorCode::usage, "how is the kernel launched?", {}, "give --grid and --block");
  return analyze_code(
      load_code(source, request.kernel.empty() && !is_file ? name : request.kernel, request.defines, times, true),
      answers::launch_of(request), times, options);
}

KernelReport report_of(const KernelRequest& request) {
  AnalysisOptions options;
  options.models = request.models;
  options.symbolic = request.symbolic;
  options.matrix_form = request.matrix_form;
  options.advice = true;
  if (!request.own.empty()) return own_report(request, options);
  if (request.file.extension() == ".json")
    return analyze_graph(read_graph(request.file), request.file.string(), options);
  return code_report(request, options);
}

std::optional<double> where_above_0(double value) { return value > 0 ? std::optional(value) : std::nullopt; }

LaunchParts parts_of(OverlapDetails d) {
  return {.launch_s = d.launch_s,
          .transient_s = d.transient_s,
          .wave_s = d.wave_s,
          .waves = d.waves,
          .cycles_per_block = std::move(d.cycles_per_block),
          .resident_warps = d.resident_warps,
          .warps_to_hide = d.warps_to_hide,
          .schedule = std::move(d.schedule),
          .memory_bytes = d.memory_bytes,
          .l2_bytes = d.l2_bytes,
          .l1_hit_share = d.l1_hit_share,
          .warp_instructions = d.instructions,
          .clock_hz = d.clock_hz};
}
}  // namespace

LaunchTime kernel(const KernelRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const base::NoRunScope guard(request.no_run);
  answers::check_kernel_request(request);
  KernelReport r = report_of(request);
  if (!request.graph.empty()) write_graph(r.graph, r.critical_path, request.graph);
  LaunchTime answer{.kernel = r.kernel,
                    .device = r.device,
                    .nodes = r.nodes,
                    .arcs = r.arcs,
                    .height = r.height,
                    .instances = r.instances,
                    .executors = r.executors,
                    .advice = r.advice,
                    .notes = r.notes,
                    .critical_path = explain_path(r.graph, r.critical_path),
                    .drawing = request.drawing ? drawn_graph(r.graph, r.critical_path) : std::string()};
  std::vector<std::string> expressions;
  for (const KernelEstimate& e : r.estimates) {
    answer.estimates.push_back({e.model, e.seconds, {}, {}, where_above_0(e.cycles), e.bound_by, {}});
    if (e.high_s > 0) answer.estimates.back().low_s = e.low_s;
    answer.estimates.back().high_s = where_above_0(e.high_s);
    if (request.symbolic) answer.estimates.back().expression = e.expression;
    expressions.push_back(e.expression);
  }
  if (request.symbolic) answer.symbols = explain_symbols(r.graph, expressions, !r.device.empty());
  if (r.occupancy)
    answer.occupancy = {r.occupancy->blocks,   r.occupancy->warps,       r.occupancy->limited_by,
                        r.resources.registers, r.resources.shared_bytes, r.resources.spill_bytes};
  if (r.overlap) answer.overlap = parts_of(std::move(*r.overlap));
  return answer;
}
}  // namespace sparsecast

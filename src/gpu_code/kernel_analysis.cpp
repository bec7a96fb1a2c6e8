#include "gpu_code/kernel_analysis.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sparsecast/error.hpp>

#include "base/embedded.hpp"
#include "base/files.hpp"
#include "base/text.hpp"
#include "gpu_code/compile/compiler.hpp"
#include "gpu_code/compile/opencl_types.hpp"
#include "gpu_code/graph/code_graph.hpp"
#include "gpu_code/graph/paper_models.hpp"
#include "gpu_code/overlap/event_graph.hpp"
#include "gpu_code/ptx/ptx.hpp"
#include "gpu_code/trace/footprint.hpp"

namespace sparsecast::gpu_code {
namespace {

bool wanted(const AnalysisOptions& options, std::string_view model) {
  return options.models.empty() ||
         std::find(options.models.begin(), options.models.end(), model) != options.models.end();
}

constexpr PaperModel paper_models[] = {PaperModel::naive, PaperModel::operations, PaperModel::serialized};

/// Steady rate of a graph's instances: n of them in flight, one port for global accesses that takes dt a load and dT a
/// store.
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

std::string joined(const std::vector<std::string>& names) { return fmt::format("{}", fmt::join(names, ", ")); }

/// Of two blocks the first: the last one in a direction is often filled in part only.
Dim3 middle_block(const Launch& launch) {
  return {(launch.grid[0] - 1) / 2, (launch.grid[1] - 1) / 2, (launch.grid[2] - 1) / 2};
}

/// A line of PTX that a compiler made is no line of the user's file: it is named as what it is.
PtxModule parse_code(const KernelCode& code) {
  if (std::filesystem::path(code.file).extension() == ".ptx") return parse_ptx(code.ptx, code.file);
  try {
    return parse_ptx(code.ptx, code.file);
  } catch (const Error& error) {
    throw Error(error.code(),
                fmt::format("line {} of the PTX compiled from it: {}", error.place().line, error.reason()), {code.file},
                error.remedy());
  }
}

}  // namespace

const std::vector<std::string>& kernel_models() {
  static const std::vector<std::string> names = {"naive", "operations", "serialized", "overlapped"};
  return names;
}

KernelReport analyze_graph(KernelGraph graph, const std::string& file, const AnalysisOptions& options) {
  KernelReport report;
  report.kernel = std::filesystem::path(file).stem().string();
  report.nodes = static_cast<std::int64_t>(graph.nodes.size());
  report.arcs = static_cast<std::int64_t>(graph.arcs.size());
  report.instances = graph.instances;
  report.executors = graph.executors;
  const bool computes =
      std::any_of(graph.nodes.begin(), graph.nodes.end(), [](const auto& n) { return !n.time.is_zero(); });
  report.height = height(graph, computes);
  for (const auto model : paper_models) {
    if (!wanted(options, to_string(model))) continue;
    const auto missing = undefined_times(graph, model);
    KernelEstimate e;
    e.model = to_string(model);
    if (missing.empty()) {
      const auto result = estimate(graph, model, options.matrix_form);
      e.seconds = result.seconds;
      if (model == PaperModel::operations || report.critical_path.empty()) report.critical_path = result.path;
      e.bound_by = "critical path";
    } else if (!options.symbolic) {
      // dt and dT are asked for only by the model that needs them; without them it is left out unless asked for.
      const bool only_queue =
          std::all_of(missing.begin(), missing.end(), [](const auto& n) { return n == "dt" || n == "dT"; });
      if (only_queue && options.models.empty()) {
        report.notes.push_back(fmt::format("serialized left out: \"times\" does not define {}", joined(missing)));
        continue;
      }
      throw Error(ErrorCode::bad_input, fmt::format("\"times\" does not define {}", joined(missing)), {file},
                  "define them, or ask for --symbolic");
    }
    if (options.symbolic) e.expression = expression(graph, model);
    report.estimates.push_back(std::move(e));
  }
  if (wanted(options, "overlapped") && undefined_times(graph, PaperModel::operations).empty())
    report.estimates.push_back(overlapped_graph(graph));
  report.graph = std::move(graph);
  return report;
}

KernelCode load_code(const std::filesystem::path& file, const std::string& kernel,
                     const std::vector<std::string>& defines, int architecture, bool line_info) {
  KernelCode code;
  code.kernel = kernel;
  code.file = file.string();
  if (file.extension() == ".ptx") {
    code.ptx = base::read_file(file);
    return code;
  }
  const auto source = base::read_file(file);
  CompileRequest request;
  request.source = file;
  request.defines = defines;
  for (const auto& type : opencl_vector_structures(source)) {
    request.defines.push_back(aligned_definition(type));
    code.notes.push_back(fmt::format("{} is taken to be OpenCL's: aligned to its {} bytes", type.name, type.bytes));
  }
  request.architecture = architecture;
  request.line_info = line_info;
  code.ptx = compile_to_ptx(request).text;
  if (!kernel.empty()) code.parameter_names = parameter_names(source, kernel);
  return code;
}

KernelReport analyze_code(const KernelCode& code, Launch launch, const KernelTimes& times,
                          const AnalysisOptions& options) {
  const auto module = parse_code(code);
  const auto& kernel = find_kernel(module, code.kernel);
  launch.parameter_names = code.parameter_names;
  if (launch.parameter_names.size() != kernel.parameters.size()) launch.parameter_names.clear();
  for (std::size_t d = 0; d < 3; ++d)
    if (launch.grid[d] < 1 || launch.block[d] < 1 || launch.grid[d] > INT32_MAX || launch.block[d] > 1024)
      throw Error(ErrorCode::usage, "a launch needs a grid of 1 or more and a block of 1 to 1024 in every direction",
                  {}, "see --grid and --block");
  if (launch.threads_per_block() > 1024)
    throw Error(ErrorCode::usage, fmt::format("a block of {} threads: 1024 are the most", launch.threads_per_block()),
                {}, "see --block");
  if (launch.blocks() > (std::int64_t{1} << 52))
    throw Error(ErrorCode::usage, "the grid is too large", {}, "see --grid");
  const PtxCode ptx(module, kernel, launch);
  for (const auto& [label, counts] : launch.trips) {
    bool found = false;
    for (const auto& loop : ptx.loops()) found |= loop.label == label;
    if (found) continue;
    std::string labels;
    for (const auto& loop : ptx.loops()) labels += (labels.empty() ? "" : ", ") + loop.label;
    throw Error(ErrorCode::usage, fmt::format("--trip {}: there is no loop of that label", label), {module.file},
                labels.empty() ? "the kernel has no loops" : "its loops: " + labels);
  }

  KernelReport report;
  report.kernel = kernel.name;
  report.device = times.name;
  report.notes = code.notes;
  report.resources.shared_bytes = kernel.shared_bytes;
  auto assembled = assemble(code.ptx, times.architecture);
  bool measured_registers = assembled.available && parse_ptxas_log(assembled.log, kernel.name, report.resources);
  // A block that would not fit is compiled for fewer registers, as launch bounds make drivers and OpenCL compilers do.
  const auto per_thread = static_cast<int>(times.registers / ((launch.threads_per_block() + 127) / 128 * 128) / 8 * 8);
  if (measured_registers && report.resources.registers > per_thread) {
    assembled = assemble(code.ptx, times.architecture, per_thread);
    measured_registers = assembled.available && parse_ptxas_log(assembled.log, kernel.name, report.resources);
    report.notes.push_back(fmt::format("compiled for {} registers a thread, so that a block of {} threads fits",
                                       per_thread, launch.threads_per_block()));
  }
  if (!measured_registers) {
    // Without ptxas: registers from the PTX's declared ones are far too many; live ones at once are what counts, and a
    // compiler keeps them near 32 where it can.
    report.resources.registers =
        std::clamp(std::min(static_cast<int>(kernel.registers.size() / 4), per_thread), 16, 128);
    report.notes.emplace_back(
        "ptxas is not here (or refuses this PTX): registers are estimated and the schedule is that of the PTX");
  }
  report.resources.shared_bytes += launch.dynamic_shared_bytes;
  report.occupancy = occupancy(times, report.resources, launch.threads_per_block());
  report.occupancy->blocks = static_cast<int>(std::min<std::int64_t>(
      report.occupancy->blocks, (launch.blocks() + times.multiprocessors - 1) / times.multiprocessors));

  const Dim3 base = middle_block(launch);
  const bool paper = wanted(options, "naive") || wanted(options, "operations") || wanted(options, "serialized");
  TraceOptions trace_options;
  std::optional<BlockTrace> ptx_trace;
  if (paper) {
    trace_options.window = 3000;
    ptx_trace = run_block(ptx, launch, base, trace_options);
    auto from_code = code_graph(ptx, *ptx_trace, times);
    auto& graph = from_code.graph;
    graph.instances = launch.blocks() * launch.warps_per_block();
    graph.executors = std::min<std::int64_t>(graph.instances, static_cast<std::int64_t>(times.multiprocessors) *
                                                                  report.occupancy->blocks * launch.warps_per_block());
    // Time between two accesses in the queue: the bytes of one, over the bandwidth.
    double sectors = 0, accesses = 0, stored = 0, stores = 0;
    for (std::size_t i = 0; i < ptx_trace->executed.size(); ++i) {
      const auto op = kernel.body[i].op;
      if (ptx_trace->sectors[i] == 0) continue;
      const bool store = op == PtxOp::st || op == PtxOp::red;
      (store ? stored : sectors) += static_cast<double>(ptx_trace->sectors[i]);
      (store ? stores : accesses) += static_cast<double>(ptx_trace->executed[i]);
    }
    const double bandwidth = times.memory_bandwidth * times.memory_efficiency;
    const auto set = [&](const char* name, double total, double number) {
      auto& time = graph.names[static_cast<std::size_t>(graph.name_index(name))];
      time.seconds = number > 0 ? total / number * 32 / bandwidth : 0;
      time.defined = true;
      return time.seconds;
    };
    const double dt = set("dt", sectors, accesses), dT = set("dT", stored, stores);
    report.nodes = static_cast<std::int64_t>(graph.nodes.size());
    report.arcs = static_cast<std::int64_t>(graph.arcs.size());
    report.height = height(graph, true);
    report.instances = graph.instances;
    report.executors = graph.executors;
    for (const auto model : paper_models) {
      if (!wanted(options, to_string(model))) continue;
      const auto result = estimate(graph, model, options.matrix_form);
      KernelEstimate e;
      e.model = to_string(model);
      e.seconds = result.seconds;
      if (model == PaperModel::serialized)  // accesses inside composite nodes queue, too
        e.seconds += static_cast<double>(graph.waves() * graph.executors) *
                     (static_cast<double>(from_code.loads - from_code.loads_in_graph) * dt +
                      static_cast<double>(from_code.stores - from_code.stores_in_graph) * dT);
      e.cycles = e.seconds * times.clock_hz;
      e.bound_by = model == PaperModel::serialized ? "critical path with queues" : "critical path";
      if (options.symbolic) e.expression = expression(graph, model);
      if (model == PaperModel::operations || report.critical_path.empty()) report.critical_path = result.path;
      report.estimates.push_back(std::move(e));
    }
    if (ptx_trace->assumed)
      report.notes.emplace_back(
          "some branches or addresses depend on data that are not given: lanes were taken to diverge, addresses to be "
          "scattered");
    report.graph = std::move(graph);
  }
  if (wanted(options, "overlapped")) {
    std::optional<Overlap> result;
    // Overlapped, from code of either kind; `good` refuses a trace.
    const auto forecast = [&](const Code& runnable, const TimedCode& timed, const auto& good) {
      TraceOptions window;
      window.window = 1200;
      const auto trace = run_block(runnable, launch, base, window);
      good(trace);
      const auto footprint = launch_footprint(runnable, launch, base, trace, times, report.occupancy->blocks);
      const TracedLaunch traced{launch, base, trace, footprint, mean_work(runnable, launch, base, trace)};
      result = overlapped(timed, traced, times, *report.occupancy);
    };
    if (assembled.available && report.resources.from_compiler && launch.trips.empty()) {
      try {
        const auto cubin = read_cubin(assembled.cubin, kernel.name, code.file);
        const SassCode sass(cubin, ptx, launch, assembled.architecture);
        forecast(sass, timed_sass(sass, times), [&](const BlockTrace& trace) {
          if (trace.unknown_addresses == 0) return;
          TraceOptions window;
          window.window = 1200;
          if (run_block(ptx, launch, base, window).unknown_addresses < trace.unknown_addresses / 2)
            throw Error(ErrorCode::failed, "it computes addresses by operations that are not known here");
        });
      } catch (const Error& error) {
        if (error.code() == ErrorCode::interrupted) throw;
        report.notes.push_back(fmt::format("the machine code could not be followed ({}); the PTX was", error.reason()));
      }
    }
    if (!result) forecast(ptx, timed_ptx(ptx, times), [](const BlockTrace&) {});
    report.instances = launch.blocks() * launch.warps_per_block();
    report.executors =
        std::min<std::int64_t>(report.instances, static_cast<std::int64_t>(times.multiprocessors) *
                                                     report.occupancy->blocks * launch.warps_per_block());
    report.estimates.push_back(result->estimate);
    report.overlap = result->details;
  }
  return report;
}

}  // namespace sparsecast::gpu_code

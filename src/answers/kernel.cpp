// kernel: one launch, or a graph, by every model.

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/answers/kernel.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "answers/kernel_inputs.hpp"
#include "base/guard/cleanup.hpp"
#include "base/interrupt.hpp"
#include "gpu_code/graph/kernel_graph.hpp"
#include "gpu_code/graph/paper_models.hpp"
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

}  // namespace

LaunchTime kernel(const KernelRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const base::ProgramScope guard({.forbidden = request.no_run});
  answers::check_kernel_request(request);
  const KernelReport r = report_of(request);
  if (!request.graph.empty()) write_graph(r.graph, r.path, request.graph);
  LaunchTime answer = r;
  answer.critical_path = explain_path(r.graph, r.path);
  if (request.drawing) answer.drawing = drawn_graph(r.graph, r.path);
  if (request.symbolic) {
    for (LaunchEstimate& e : answer.estimates) e.expression = e.expression.value_or("");
    answer.symbols = explain_symbols(r.graph, answer.estimates, !r.device.empty());
  }
  if (r.fits)
    answer.occupancy = {r.fits->blocks,           r.fits->warps,          r.fits->limited_by, r.resources.registers,
                        r.resources.shared_bytes, r.resources.spill_bytes};
  return answer;
}
}  // namespace sparsecast

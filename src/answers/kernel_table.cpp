// kernel_table, and what it shares with kernel() and kernel_space().

#include <fmt/format.h>
#include <algorithm>
#include <sparsecast/error.hpp>
#include <sparsecast/threads.hpp>

#include "answers/kernel_inputs.hpp"
#include "base/guard/cleanup.hpp"
#include "base/interrupt.hpp"
#include "gpu_code/compile/source_parameters.hpp"
#include "gpu_code/tuning_space.hpp"

namespace sparsecast {
namespace answers {
using namespace gpu_code;

void check_kernel_request(const KernelRequest& request) {
  for (const std::string& model : request.models)
    if (std::ranges::find(kernel_models(), model) == kernel_models().end())
      throw Error(ErrorCode::usage, "--model " + model + ": there is no such model", {},
                  fmt::format("known: {}, all", fmt::join(kernel_models(), ", ")));
  for (const std::string& define : request.defines) check_define(define, "--define");
}

KernelTimes kernel_times_of(const KernelRequest& request) {
  return with_clock(times_of_device(request.device), request.clock);
}

Launch launch_of(const KernelRequest& request) {
  Launch launch;
  if (request.grid[0] != 0) launch.grid = request.grid;
  if (request.block[0] != 0) launch.block = request.block;
  launch.arguments = request.arguments;
  launch.buffers = request.buffers;
  launch.trips = request.trips;
  launch.dynamic_shared_bytes = request.shared_bytes;
  launch.lanes_diverge = request.lanes_diverge;
  return launch;
}

int jobs_of(const KernelRequest& request) { return request.threads > 0 ? request.threads : available_cores(); }
}  // namespace answers

KernelTable kernel_table(const KernelTableRequest& request) {
  using namespace gpu_code;
  const KernelRequest& asked = request.kernel;
  const base::StopScope stop(asked.listener.stop);
  const base::ProgramScope guard({.forbidden = asked.no_run});
  answers::check_kernel_request(asked);
  const KernelTimes times = answers::kernel_times_of(asked);
  const std::vector<TuningRow> rows = read_tuning_table(request.table);
  AnalysisOptions options;
  options.models = asked.models;
  const Launch shared = answers::launch_of(asked);
  KernelTable answer = forecast_tuning_space(asked.file, rows, times, options, answers::jobs_of(asked),
                                             asked.listener.progress, &shared);
  if (request.drawn_anchors > 0 || !request.anchors.empty())
    answer = anchored_report(answer, rows, times, request.anchors, request.drawn_anchors);
  return answer;
}
}  // namespace sparsecast

// cluster_measure and cluster_calibrate: runs under a launcher, or under SimGrid.

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/error.hpp>

#include "answers/inputs.hpp"
#include "base/interrupt.hpp"
#include "cluster/calibrate.hpp"
#include "cluster/launch/measure.hpp"

namespace sparsecast {
namespace {
using cluster::ClusterMeasurement, cluster::ClusterMeasurements, cluster::MeasureOptions;

ClusterTime time_of(const ClusterMeasurement& m) {
  ClusterTime time{.scheme = m.what.scheme,
                   .format = m.what.format,
                   .processes = m.processes,
                   .nodes = m.nodes,
                   .seconds = m.seconds,
                   .low_s = m.low_s,
                   .high_s = m.high_s,
                   .core_s = m.core_s,
                   .communication_s = std::max(0.0, m.seconds - m.core_s),
                   .batches = m.batches,
                   .checksum_error = m.checksum_error,
                   .norm_log2 = m.norm_log2,
                   .source = m.source};
  if (m.threads > 1) time.threads = m.threads;
  if (m.precision == Precision::single_) time.precision = m.precision;
  constexpr double most = 1000;  // of the logarithms of doubles, with a margin
  if (m.norm_log2 && std::abs(*m.norm_log2) < most) time.norm = std::exp2(*m.norm_log2);
  return time;
}

void check_together(const ClusterMeasureRequest& request) {
  if (request.platform.empty()) return;
  if (request.rank_threads > 1)
    throw Error(ErrorCode::usage, "simulated ranks have one thread each", {}, "--platform or --rank-threads");
  if (request.precision == Precision::single_)
    throw Error(ErrorCode::usage, "simulated ranks compute in double precision", {},
                "--platform or --precision single");
}

MeasureOptions options_of(const ClusterMeasureRequest& request, int processes) {
  MeasureOptions options{.launch = {},
                         .scratch = request.scratch,
                         .cases = {},
                         .iterations = request.iterations,
                         .precision = request.precision,
                         .seed = request.seed,
                         .budget_s = request.budget_s,
                         .check = request.check};
  options.launch.launcher = request.launcher;
  options.launch.processes = processes;
  options.launch.threads = request.rank_threads;
  options.launch.patience_s = request.patience_s;
  options.launch.platform = request.platform;
  for (const ClusterScheme scheme : request.schemes)
    for (const ClusterFormat format : request.formats)
      // With several schemes asked for, those that cannot run on so many processes are left out.
      if (request.schemes.size() == 1 || admissible(scheme, processes)) options.cases.push_back({scheme, format});
  return options;
}
}  // namespace

ClusterTimes cluster_measure(const ClusterMeasureRequest& request) {
  const base::StopScope stop(request.listener.stop);
  check_together(request);
  const auto* const named = std::get_if<std::filesystem::path>(&request.matrix);
  // A file is read by the ranks, in parts.
  const std::filesystem::path file =
      named != nullptr ? answers::matrix_file(*named, request.listener) : std::filesystem::path();
  std::optional<Matrix> matrix;
  if (named == nullptr || !request.platform.empty())
    matrix =
        answers::matrix_of(named != nullptr ? MatrixInput(file) : request.matrix, request.threads, request.listener);
  ClusterTimes answer{.matrix = named != nullptr ? named->string() : matrix->name(), .iterations = request.iterations};
  for (const int processes : request.processes) {
    const MeasureOptions options = options_of(request, processes);
    if (options.cases.empty()) continue;
    const ClusterMeasurements measured = !request.platform.empty()
                                             ? ClusterMeasurements{simulate_matrix(*matrix, options, {}).cases, {}, {}}
                                         : matrix ? measure_matrix(*matrix, options)
                                                  : measure_file(file, options);
    for (const ClusterMeasurement& m : measured.cases) answer.measurements.push_back(time_of(m));
    if (!measured.peak_memory_bytes.empty())
      answer.rank_memory.push_back({processes, measured.base_memory_bytes, measured.peak_memory_bytes});
  }
  return answer;
}

ClusterCalibration cluster_calibrate(const ClusterCalibrateRequest& request) {
  const base::StopScope stop(request.listener.stop);
  cluster::CalibrateOptions options{.launch = {},
                                    .scratch = request.scratch,
                                    .processes = request.processes,
                                    .name = request.name.empty() ? request.output.stem().stem().string() : request.name,
                                    .cores_per_node = request.cores_per_node,
                                    .begun = {},
                                    .quick = request.quick,
                                    .full = request.full,
                                    .progress = request.listener.progress,
                                    .keep = {}};
  options.launch.launcher = request.launcher;
  options.launch.threads = request.rank_threads;
  options.launch.patience_s = request.patience_s;
  options.launch.platform = request.platform;
  if (request.resume && std::filesystem::exists(request.output))
    options.begun = cluster::read_cluster_profile(request.output);
  // What was measured before a stop is kept.
  options.keep = [&](const cluster::ClusterProfile& profile) { write_cluster_profile(profile, request.output); };
  const cluster::ClusterProfile profile = calibrate_cluster(options);
  if (!profile.complete)
    answers::tell(request.listener.remark,
                  "not all training runs were done in the time of --quick; `--quick --resume` goes on, without --quick "
                  "there is no limit");
  return {.file = request.output.string(),
          .name = profile.name,
          .source = profile.source,
          .complete = profile.complete,
          .processes = request.processes,
          .message_times = profile.messages.size(),
          .timed_blocks = profile.blocks.size(),
          .training_runs = profile.runs.size()};
}
}  // namespace sparsecast

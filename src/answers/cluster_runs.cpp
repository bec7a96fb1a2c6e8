// cluster_measure, cluster_calibrate: runs under a launcher, or under SimGrid.

#include <cmath>
#include <sparsecast/answers/cluster.hpp>

#include "answers/cluster_requests.hpp"
#include "answers/inputs.hpp"
#include "base/interrupt.hpp"
#include "cluster/calibrate.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/scheme/scheme.hpp"
#include "cluster/simulate/simulate.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"

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
                   .source = m.source,
                   .states = m.states};
  if (m.threads > 1) time.threads = m.threads;
  if (m.precision == Precision::single_) time.precision = m.precision;
  constexpr double most = 1000;  // of the logarithms of doubles, with a margin
  if (m.norm_log2 && std::abs(*m.norm_log2) < most) time.norm = std::exp2(*m.norm_log2);
  return time;
}

void check_together(const ClusterMeasureRequest& request) {
  if (request.platform.empty()) return;
  const wording::Text platform = wording::option("platform");
  if (request.rank_threads > 1)
    throw Error(ErrorCode::usage, "simulated ranks have one thread each", {},
                wording::format("give {} or {}, not both", platform, wording::option("rank_threads")));
  if (request.precision == Precision::single_)
    throw Error(ErrorCode::usage, "simulated ranks compute in double precision", {},
                wording::format("give {} or {}, not both", platform, wording::option("precision", Precision::single_)));
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

ClusterTimes cluster_measure(const ClusterMeasureRequest& asked) {
  const base::StopScope stop(asked.listener.stop);
  const ClusterMeasureRequest request = answers::checked(asked);
  check_together(request);
  const auto* const named = std::get_if<std::filesystem::path>(&request.matrix);
  // A file is read by the ranks, in parts.
  const std::filesystem::path file =
      named != nullptr ? answers::matrix_file(*named, request.listener) : std::filesystem::path();
  std::optional<Matrix> matrix;
  if (named == nullptr || !request.platform.empty())
    matrix = load_matrix(named != nullptr ? MatrixInput(file) : request.matrix, request.threads, request.listener);
  ClusterTimes answer{.matrix = named != nullptr ? named->string() : matrix->name(), .iterations = request.iterations};
  for (const int processes : request.processes) {
    const MeasureOptions options = options_of(request, processes);
    if (options.cases.empty()) continue;
    const ClusterMeasurements measured =
        !request.platform.empty()
            ? ClusterMeasurements{simulate_matrix(*matrix, options, {}).cases, {}, {}, matrix->rows() == matrix->cols()}
        : matrix ? measure_matrix(*matrix, options)
                 : measure_file(file, options);
    answer.square = measured.square;
    for (const ClusterMeasurement& m : measured.cases) answer.measurements.push_back(time_of(m));
    if (!measured.peak_memory_bytes.empty())
      answer.rank_memory.push_back({processes, measured.base_memory_bytes, measured.peak_memory_bytes});
  }
  if (!answer.square) answers::tell_not_square(request.listener, answer.matrix);
  return answer;
}

ClusterCalibration cluster_calibrate(const ClusterCalibrateRequest& asked) {
  const base::StopScope stop(asked.listener.stop);
  const ClusterCalibrateRequest request = answers::checked(asked);
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
  for (const int processes : request.processes)
    if (const std::string remark = remark_on_places(profile, processes); !remark.empty())
      answers::remark(request.listener, remark);
  if (!profile.complete)
    answers::remark(
        request.listener,
        wording::format("{1} fitted into the time of {0}{2}; {0} {3} continues, and without {0} there is no limit",
                        wording::option("quick", true),
                        profile.runs.empty()           ? "no training run"
                        : profile.cut_messages.empty() ? "not all training runs"
                                                       : "not all messages and training runs",
                        profile.runs.empty() ? ", without which nothing tells how far forecasts are off" : "",
                        wording::option("resume", true)));
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

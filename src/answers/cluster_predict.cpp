// cluster_predict, cluster_advise, cluster_script: forecasts of every case, a choice, and how to run it.

#include <fmt/format.h>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/error.hpp>

#include "answers/cluster_iterations.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/launch/job.hpp"
#include "cluster/models/forecast.hpp"
#include "cluster/scheme/local_block.hpp"

namespace sparsecast {
namespace {
// Not the whole namespace: its Prediction is not the one of predict().
using cluster::ClusterForecast, cluster::ClusterProfile, cluster::PredictOptions;

struct Forecasts {
  Matrix matrix;  ///< made square where the user's is not; none of a structure
  ClusterPrediction answer;
  ClusterForecast recommended;
  int rank_threads = 1;
};

void check_together(const ClusterPredictRequest& request) {
  const bool described = !request.node.empty() || !request.network.empty();
  if (described == !request.profile.empty() || (described && (request.node.empty() || request.network.empty())))
    throw Error(ErrorCode::usage, "a cluster is a profile, or a node and a network", {},
                "--cluster FILE, or --node NAME|FILE.json --network NAME|FILE.json");
  if (request.precision == Precision::single_ && !request.solver.empty())
    throw Error(ErrorCode::usage, "iterations of solvers are forecast in double precision", {},
                "--solver or --precision single");
  if (!described && !request.structure.empty())
    throw Error(ErrorCode::usage, "a structure is forecast on a described cluster", {}, "--node NAME --network NAME");
  if (described && !request.solver.empty())
    throw Error(ErrorCode::usage, "--solver needs a cluster that was measured", {},
                "--cluster FILE of `sparsecast cluster calibrate`");
}

std::string forecast_described(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  const cluster::DescribedCluster described{answers::load_machine(request.node, {}, request.listener),
                                            cluster::network_of(request.network), request.ranks_per_node,
                                            request.rank_threads};
  out.answer.cluster = {described.name(), "described", true, described.ranks()};
  out.rank_threads = described.threads;
  if (options.processes.empty())
    for (const int nodes : request.nodes.empty() ? std::vector{1, 2, 4, 8, 16} : request.nodes) {
      if (nodes > cluster::most_processes / described.ranks())
        throw Error(ErrorCode::usage, fmt::format("{} nodes of {} processes are more than {} processes", nodes,
                                                  described.ranks(), cluster::most_processes));
      options.processes.push_back(nodes * described.ranks());
    }
  cluster::Prediction prediction =
      request.structure.empty()
          ? predict_described(out.matrix, described, options)
          : predict_described(cluster::stencil_of(request.structure, request.size), described, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  return prediction.missing;
}

// Iterations of the solver in place of products.
void put_solver(const std::string& solver, const ClusterProfile& profile, Forecasts& out) {
  const solving::Method method = solving::parse_method(solver);
  out.answer.solver = method.name();
  const std::vector<answers::ClusterWork> work = answers::add_solver(
      out.answer.forecasts, profile, out.matrix.rows(), method,
      method.info->preconditions ? solving::Preconditioning::diagonal : solving::Preconditioning::none);
  for (std::size_t i = 0; i < work.size(); ++i) {
    out.answer.forecasts[i].vectors_s = work[i].vectors_s;
    out.answer.forecasts[i].reductions_s = work[i].reductions_s;
  }
}

std::string forecast_measured(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  const ClusterProfile profile = cluster::read_cluster_profile(request.profile);
  out.answer.cluster = {profile.name, profile.source, profile.complete, profile.cores_per_node};
  out.rank_threads = profile.threads;
  if (!profile.complete)
    answers::tell(request.listener.remark,
                  fmt::format("warning: the calibration in {} did not get to its end ({} training runs): forecasts and "
                              "their intervals rest on what there is; `sparsecast cluster calibrate --resume -o {}` "
                              "goes on",
                              request.profile.string(), profile.runs.size(), request.profile.string()));
  if (options.processes.empty()) options.processes = trained_counts(profile);
  cluster::Prediction prediction = predict_cluster(out.matrix, profile, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  if (!request.solver.empty()) put_solver(request.solver, profile, out);
  return prediction.missing;
}

ClusterPlace place_of(const ClusterForecast& f) {
  return {f.scheme, f.format, f.processes, f.nodes, f.seconds, f.low_s, f.high_s, f.tier};
}

void put_choice(const ClusterPredictRequest& request, Forecasts& out) {
  ClusterPrediction& answer = out.answer;
  cluster::ClusterChoice choice = choose(answer.forecasts);
  out.recommended = choice.recommended;
  answer.recommended = {place_of(choice.recommended), node_hours(choice.recommended, request.iterations),
                        std::move(choice.reason)};
  answer.fastest = place_of(choice.fastest);
  answer.scaling = std::move(choice.scaling);
  answer.scaling_end = std::move(choice.end);
  if (request.within_s <= 0) return;
  const auto found = done_within(of_first_model(answer.forecasts), request.within_s, request.iterations);
  answer.within = {request.within_s, found.has_value(), {}, {}, {}};
  if (!found) return;
  answer.within->choice = place_of(*found);
  answer.within->total_s = found->seconds * request.iterations;
  answer.within->node_hours = node_hours(*found, request.iterations);
}

Forecasts forecasts_of(const ClusterPredictRequest& request) {
  check_together(request);
  PredictOptions options{.processes = request.processes,
                         .schemes = request.schemes,
                         .formats = request.formats,
                         .model = request.model,
                         .seed = request.seed,
                         .precision = request.precision,
                         .progress = request.listener.progress};
  Forecasts out;
  if (request.structure.empty()) {
    const Matrix given = answers::matrix_of(request.matrix, request.threads, request.listener);
    cluster::require_iterable(given.rows(), given.cols(), request.iterations == 1 ? 1 : 2, given.name());
    out.matrix = cluster::padded_square(given);
    out.answer.matrix = {given.name(), given.rows(), given.cols(), given.nonzeros()};
  } else {
    const cluster::Stencil stencil = cluster::stencil_of(request.structure, request.size);
    out.answer.matrix = {stencil.name(), stencil.rows(), stencil.rows(), stencil.nonzeros()};
  }
  out.answer.iterations = request.iterations;
  if (request.precision == Precision::single_) out.answer.precision = request.precision;
  const std::string missing =
      request.profile.empty() ? forecast_described(request, options, out) : forecast_measured(request, options, out);
  if (!missing.empty()) answers::tell(request.listener.remark, missing);
  put_choice(request, out);
  return out;
}
}  // namespace

ClusterPrediction cluster_predict(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  return forecasts_of(request).answer;
}

ClusterAdvice cluster_advise(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  const Forecasts forecasts = forecasts_of(request);
  const ClusterPrediction& all = forecasts.answer;
  const bool possible = !all.within || all.within->possible;
  const ClusterPlace& place = !possible ? all.fastest : all.within ? *all.within->choice : all.recommended.place;
  ClusterAdvice advice{
      .matrix = all.matrix,
      .cluster = all.cluster,
      .iterations = all.iterations,
      .possible = possible,
      .scheme = place.scheme,
      .format = place.format,
      .processes = place.processes,
      .threads = forecasts.rank_threads,
      .nodes = place.nodes,
      .seconds = place.seconds,
      .low_s = place.low_s,
      .high_s = place.high_s,
      .node_hours = place.nodes * place.seconds * all.iterations / 3600,
      .launch = fmt::format("mpirun -n {}", place.processes),
      .petsc_options = "-dll_append libsparsecastpetsc.so -mat_type sparsecast -dm_mat_type sparsecast"};
  if (advice.threads == 1) return advice;
  advice.launch += fmt::format(" --map-by slot:PE={0} -x OMP_NUM_THREADS={0}", advice.threads);
  advice.petsc_options += fmt::format(" -mat_sparsecast_threads {}", advice.threads);
  return advice;
}

ClusterScript cluster_script(const ClusterScriptRequest& request) {
  const base::StopScope stop(request.predict.listener.stop);
  ClusterPredictRequest asked = request.predict;
  const auto* const file = std::get_if<std::filesystem::path>(&asked.matrix);
  if (file == nullptr)
    throw Error(ErrorCode::usage, "a job script runs a matrix file", {}, "write the matrix to a file first");
  cluster::ScriptOptions script{.scheduler = request.scheduler,
                                .matrix = std::filesystem::absolute(answers::matrix_file(*file, asked.listener)),
                                .launcher = request.launcher,
                                .iterations = request.iterations,
                                .time_limit = request.time_limit};
  // The program's products are those of this scheme.
  if (!request.program.empty()) asked.schemes = {ClusterScheme::local_rows};
  const Forecasts forecasts = forecasts_of(asked);
  script.cores_per_node = forecasts.answer.cluster.cores_per_node;
  script.rank_threads = forecasts.rank_threads;
  ClusterScript answer{forecasts.answer.recommended, request.scheduler, job_script(forecasts.recommended, script)};
  answer.recommended.node_hours.reset();  // of a job that was not asked about
  if (!request.program.empty()) write_solver(forecasts.matrix, forecasts.recommended, request.program);
  return answer;
}
}  // namespace sparsecast

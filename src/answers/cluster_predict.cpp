// cluster_predict, cluster_advise, cluster_script: forecasts of every case, a choice, and how to run it.

#include <fmt/format.h>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/structure.hpp>

#include "answers/cluster_iterations.hpp"
#include "answers/cluster_product_times.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "base/machine/handover.hpp"
#include "cluster/cache_states.hpp"
#include "cluster/calibrate.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/launch/job_script.hpp"
#include "cluster/launch/measure.hpp"
#include "cluster/launch/solver_folder.hpp"
#include "cluster/machine/machine.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/model_table.hpp"
#include "cluster/models/prediction.hpp"
#include "cluster/scheme/padded_square.hpp"
#include "cluster/simulate/simulate.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"

namespace sparsecast {
namespace {
// Not the whole namespace: its Prediction is not the one of predict().
using cluster::ClusterForecast, cluster::ClusterProfile, cluster::PredictOptions;

void tell_not_square(const Listener& listener, const std::string& name) {
  answers::tell(listener.remark, name + " is not square: an iteration is a product y = A·x with the same x");
}

struct Forecasts {
  Matrix matrix;  ///< made square where the user's is not; none of a structure
  ClusterPrediction answer;
  ClusterForecast recommended;
  int rank_threads = 1;
};

void check_together(const ClusterPredictRequest& request) {
  using wording::option, wording::placeholder;
  const auto profile_of = [](const char* name) { return option("cluster_predict.profile", placeholder(name)); };
  const auto node_of = [](const char* name) { return option("node", placeholder(name)); };
  const auto network_of = [](const char* name) { return option("network", placeholder(name)); };
  const wording::Text solver = option("cluster_predict.solver");
  const bool parts = !request.node.empty() || !request.network.empty(), whole = !request.machine.empty();
  const bool described = parts || whole;
  if (int{parts} + int{whole} + int{!request.profile.empty()} != 1 ||
      (parts && (request.node.empty() || request.network.empty())))
    throw Error(ErrorCode::usage,
                "exactly one of a cluster profile, a node with a network, and a machine must be given", {},
                wording::format("give {}, or {} {}, or {}", profile_of("FILE"), node_of("NAME|FILE.json"),
                                network_of("NAME|FILE.json"), option("machine", placeholder("NAME"))));
  if (whole && (request.ranks_per_node > 0 || request.rank_threads > 1))
    throw Error(ErrorCode::usage, "a machine of the catalogue has its own number of ranks per node", {},
                wording::format("give {} {} for others", node_of("NAME"), network_of("NAME")));
  if (request.precision == Precision::single_ && !request.solver.empty())
    throw Error(ErrorCode::usage, "iterations of solvers are forecast in double precision", {},
                wording::format("give {} or {}, not both", solver, option("precision", Precision::single_)));
  if (!described && !request.structure.empty())
    throw Error(ErrorCode::usage, "a structure can be forecast on a described cluster only", {},
                wording::format("give {} {}", node_of("NAME"), network_of("NAME")));
  if (!request.caches.empty() && request.caches != "common" && request.caches != "apart")
    throw Error(ErrorCode::usage, "'" + request.caches + "' is not a state of two cores", {}, "use common or apart");
  if (described && !request.caches.empty())
    throw Error(ErrorCode::usage, wording::format("{} needs a cluster that was measured", option("caches")), {},
                wording::format("give {} of {}", profile_of("FILE"), wording::ask("cluster_calibrate")));
  if (!request.petsc_matrix.empty()) {
    (void)answers::petsc_matrix(request.petsc_matrix);
    if (request.solver.empty() ||
        !answers::petsc_iteration(solving::parse_method(request.solver), answers::PetscPreconditioner::none))
      throw Error(ErrorCode::usage, "a PETSc matrix type needs one of PETSc's solvers", {},
                  wording::format("give {} cg, bicgstab or gmres", solver));
  }
  if (!request.preconditioner.empty() && request.solver.empty())
    throw Error(ErrorCode::usage, "a preconditioner needs a solver", {}, wording::format("give {}", solver));
  if (described && !request.solver.empty())
    throw Error(ErrorCode::usage, wording::format("{} needs a cluster that was measured", solver), {},
                wording::format("give {} of {}", profile_of("FILE"), wording::ask("cluster_calibrate")));
}

cluster::Stencil stencil_of(const ClusterPredictRequest& request) {
  return cluster::stencil_of(request.structure, request.size);
}

void put_counts(const std::vector<int>& nodes, int ranks, PredictOptions& options) {
  if (!options.processes.empty()) return;
  for (const int count : nodes) {
    if (count > cluster::most_processes / ranks)
      throw Error(ErrorCode::usage, fmt::format("{} nodes of {} processes are more than {} processes", count, ranks,
                                                cluster::most_processes));
    options.processes.push_back(count * ranks);
  }
}

std::string forecast_machine(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  const cluster::Machine machine = cluster::machine_of(request.machine);
  out.answer.cluster = {machine.parts.name, "described", true, machine.ranks};
  put_counts(request.nodes.empty() ? counts_of_nodes(machine) : request.nodes, machine.ranks, options);
  cluster::Prediction prediction = request.structure.empty() ? predict_machine(out.matrix, machine, options)
                                   : cluster::is_recipe(request.structure)
                                       ? predict_machine(cluster::recipe_of(request.structure), machine, options)
                                       : predict_machine(stencil_of(request), machine, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  return prediction.missing;
}

std::string forecast_described(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  if (!request.machine.empty()) return forecast_machine(request, options, out);
  const cluster::DescribedCluster described{answers::load_machine(request.node, {}, request.listener),
                                            cluster::network_of(request.network), request.ranks_per_node,
                                            request.rank_threads};
  out.answer.cluster = {described.name(), "described", true, described.ranks()};
  out.rank_threads = described.threads;
  put_counts(request.nodes.empty() ? std::vector{1, 2, 4, 8, 16} : request.nodes, described.ranks(), options);
  cluster::Prediction prediction = request.structure.empty() ? predict_described(out.matrix, described, options)
                                   : cluster::is_recipe(request.structure)
                                       ? predict_described(cluster::recipe_of(request.structure), described, options)
                                       : predict_described(stencil_of(request), described, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  return prediction.missing;
}

// Iterations of the solver in place of products.
void put_solver(const ClusterPredictRequest& request, const ClusterProfile& profile, Forecasts& out) {
  const solving::Method method = solving::parse_method(request.solver);
  const auto preconditioner = answers::petsc_preconditioner(request.preconditioner);
  out.answer.solver = method.name();
  const std::vector<answers::ClusterWork> work =
      answers::add_solver(out.answer.forecasts, profile, out.matrix.rows(), method, preconditioner,
                          answers::product_times(request, profile, preconditioner, out.matrix));
  for (std::size_t i = 0; i < work.size(); ++i) {
    out.answer.forecasts[i].vectors_s = work[i].vectors_s;
    out.answer.forecasts[i].reductions_s = work[i].reductions_s;
  }
}

// In which state the cores of two processes are: as was told, or as a probe of some milliseconds finds them now.
void put_state(const ClusterPredictRequest& request, const ClusterProfile& profile, PredictOptions& options,
               ClusterPrediction& answer) {
  const auto states = cluster::CacheStates::of(profile);
  options.state_told = !request.caches.empty();
  if (!states.met()) {
    if (options.state_told)
      throw Error(ErrorCode::unavailable, "this profile was measured in one state of its cores only",
                  {request.profile.string()},
                  wording::format("omit {}, or calibrate again: {}", wording::option("caches"),
                                  wording::ask("cluster_calibrate")));
    return;
  }
  const bool two_processes = std::ranges::find(options.processes, 2) != options.processes.end();
  if (options.state_told && !two_processes)
    throw Error(ErrorCode::usage, "the state of the cores decides the time of two processes only", {},
                wording::format("omit {}, or give {}", wording::option("caches"), wording::option("processes", 2)));
  if (options.state_told) {
    options.handover_s = states.met()->at(request.caches == "apart" ? 1 : 0);
  } else if (two_processes) {
    constexpr int series = 4;
    constexpr double farthest_s = 1e-6;  // of cores that both run
    const double now_s = base::handover_seconds(2, series);
    if (now_s <= 0 || now_s > farthest_s) return;
    options.handover_s = now_s;
    answer.handover_s = now_s;
  }
}

std::string forecast_measured(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  const ClusterProfile profile = cluster::read_cluster_profile(request.profile);
  out.answer.cluster = {profile.name, profile.source, profile.complete, profile.cores_per_node};
  out.rank_threads = profile.threads;
  if (!profile.complete)
    answers::remark(
        request.listener,
        wording::format("warning: the calibration in {} was not completed ({} training runs are missing): forecasts "
                        "and their intervals use what there is; {} continues it",
                        request.profile.string(), profile.runs.size(),
                        wording::ask("cluster_calibrate", {{"resume", true}, {"output", request.profile}})));
  if (options.processes.empty()) options.processes = trained_counts(profile);
  put_state(request, profile, options, out.answer);
  cluster::Prediction prediction = predict_cluster(out.matrix, profile, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  if (!request.solver.empty()) put_solver(request, profile, out);
  return prediction.missing;
}

ClusterPlace place_of(const ClusterForecast& f) {
  return {f.scheme, f.format, f.processes, f.nodes, f.seconds, f.low_s, f.high_s, f.tier, f.extrapolated};
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
                         .full = request.full,
                         .seed = request.seed,
                         .precision = request.precision,
                         .progress = request.listener.progress};
  Forecasts out;
  if (request.structure.empty()) {
    const Matrix given = load_matrix(request.matrix, request.threads, request.listener);
    out.answer.square = given.rows() == given.cols();
    if (!out.answer.square) tell_not_square(request.listener, given.name());
    out.matrix = cluster::padded_square(given);
    out.answer.matrix = {given.name(), given.rows(), given.cols(), given.nonzeros()};
  } else {
    const auto put = [&](const auto& whole) {
      out.answer.matrix = {whole.name(), whole.rows(), whole.rows(), whole.nonzeros()};
    };
    cluster::is_recipe(request.structure) ? put(cluster::recipe_of(request.structure)) : put(stencil_of(request));
  }
  out.answer.iterations = request.iterations;
  if (request.precision == Precision::single_) out.answer.precision = request.precision;
  const std::string missing =
      request.profile.empty() ? forecast_described(request, options, out) : forecast_measured(request, options, out);
  if (!missing.empty()) answers::tell(request.listener.remark, missing);
  put_choice(request, out);
  return out;
}

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

// " -ksp_type cg -pc_type jacobi" where PETSc has the method that was asked about.
std::string solver_options(const ClusterPredictRequest& request) {
  if (request.solver.empty()) return {};
  const solving::Method method = solving::parse_method(request.solver);
  const auto preconditioner = answers::petsc_preconditioner(request.preconditioner);
  if (!answers::petsc_iteration(method, preconditioner)) return {};
  return answers::petsc_words(method, preconditioner);
}
}  // namespace

ClusterPrediction cluster_predict(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  return forecasts_of(request).answer;
}

ClusterAdvice cluster_advise(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  ClusterPredictRequest asked = request;
  // PETSc deals out rows: of several schemes its solvers run with that one.
  if (!asked.solver.empty() && asked.schemes.size() > 1) asked.schemes = {ClusterScheme::local_rows};
  // What is advised for PETSc's methods.
  if (!asked.solver.empty() && !asked.profile.empty() && asked.petsc_matrix.empty() &&
      answers::petsc_iteration(solving::parse_method(asked.solver), answers::PetscPreconditioner::none))
    asked.petsc_matrix = "sparsecast";
  const Forecasts forecasts = forecasts_of(asked);
  const ClusterPrediction& all = forecasts.answer;
  const bool possible = !all.within || all.within->possible;
  const ClusterPlace& place = !possible ? all.fastest : all.within ? *all.within->choice : all.recommended.place;
  ClusterAdvice advice{
      .matrix = all.matrix,
      .square = all.square,
      .cluster = all.cluster,
      .solver = all.solver,
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
      .extrapolated = place.extrapolated,
      .node_hours = place.nodes * place.seconds * all.iterations / 3600,
      .launch = fmt::format("mpirun -n {}", place.processes),
      .petsc_options = "-dll_append libsparsecastpetsc.so -mat_type sparsecast -dm_mat_type sparsecast"};
  advice.petsc_options += solver_options(request);
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
    throw Error(ErrorCode::usage, "a job script needs a matrix file", {}, "write the matrix to a file first");
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

// cluster_measure and cluster_calibrate: runs under a launcher, or under SimGrid.

ClusterTimes cluster_measure(const ClusterMeasureRequest& request) {
  const base::StopScope stop(request.listener.stop);
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
  if (!answer.square) tell_not_square(request.listener, answer.matrix);
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
    answers::remark(
        request.listener,
        wording::format(
            "not all training runs fitted into the time of {0}; {0} {1} continues, and without {0} there is no limit",
            wording::option("quick", true), wording::option("resume", true)));
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

// cluster_predict, cluster_advise, cluster_script: forecasts of every case, a choice, and how to run it.

#include <fmt/format.h>
#include <sparsecast/answers/cluster.hpp>
#include <sparsecast/answers/predict.hpp>
#include <sparsecast/error.hpp>
#include <sparsecast/structure.hpp>

#include "answers/cluster_iterations.hpp"
#include "answers/cluster_petsc_products.hpp"
#include "answers/cluster_product_times.hpp"
#include "answers/cluster_requests.hpp"
#include "answers/cluster_together.hpp"
#include "answers/inputs.hpp"
#include "answers/machine.hpp"
#include "base/interrupt.hpp"
#include "base/machine/handover.hpp"
#include "base/text.hpp"
#include "cluster/cache_states.hpp"
#include "cluster/described/described_cluster.hpp"
#include "cluster/launch/job_script.hpp"
#include "cluster/launch/mpirun_line.hpp"
#include "cluster/launch/slurm_time.hpp"
#include "cluster/launch/solver_folder.hpp"
#include "cluster/machine/machine.hpp"
#include "cluster/models/choice.hpp"
#include "cluster/models/model_table.hpp"
#include "cluster/models/prediction.hpp"
#include "cluster/scheme/padded_square.hpp"
#include "fields/precision.hpp"
#include "fields/wording.hpp"
#include "forecast/memory_fit.hpp"

namespace sparsecast {
namespace {
// Not the whole namespace: its Prediction is not the one of predict().
using cluster::ClusterForecast, cluster::ClusterProfile, cluster::PredictOptions;

struct Forecasts {
  Matrix matrix;  ///< made square where the user's is not; none of a structure
  ClusterPrediction answer;
  ClusterForecast recommended;
  int rank_threads = 1;
  bool cores_idle = false;  ///< of a node with as many ranks as it may have
};

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

// Leaves out counts of nodes that do not hold their share of the matrix, in the smaller of the formats, and of the
// vectors: no job runs there, however fast it would be. Where none does, the forecast is of nodes that do, and says so.
void keep_what_fits(const DeviceProperties& node, int ranks, const MatrixSize& matrix, const Listener& listener,
                    PredictOptions& options) {
  const auto value = static_cast<double>(value_bytes(options.precision));
  const double bytes =
      (value + 4) * static_cast<double>(matrix.nonzeros) + 2 * value * static_cast<double>(matrix.rows);
  // Of the busiest node: ranks fill nodes in order.
  const auto share = [&](int processes) { return bytes * std::min(processes, ranks) / processes; };
  const auto fits = [&](int processes) { return forecast::holds(node, share(processes)); };
  const auto [fewest, most] = std::ranges::minmax(options.processes);
  if (!fits(most)) return answers::remark_memory(node, share(most), listener);
  if (fits(fewest)) return;
  int largest = fewest;
  for (const int count : options.processes)
    if (!fits(count)) largest = std::max(largest, count);
  const int nodes = cluster::nodes_for(largest, ranks);
  const std::string those = nodes == 1             ? "one node"
                            : largest % ranks == 0 ? fmt::format("{} or fewer nodes", nodes)
                                                   : fmt::format("{} or fewer processes", largest);
  answers::remark(listener, fmt::format("no forecast of {}: format and vectors take {} of the {} that a node of {} has",
                                        those, base::format_bytes(share(largest)),
                                        base::format_bytes(static_cast<double>(node.memory_bytes)), node.name));
  std::erase_if(options.processes, [&](int count) { return !fits(count); });
}

// No job starts on nodes that a machine does not have.
void require_nodes(const cluster::Machine& machine, const std::string& name, const std::vector<int>& processes) {
  const auto has = static_cast<int>(machine.parts.nodes);
  for (const int count : processes)
    if (cluster::nodes_for(count, machine.ranks) > has)
      throw Error(ErrorCode::usage,
                  fmt::format("{} has {} nodes, and {} processes fill {}", name, has, count,
                              cluster::nodes_for(count, machine.ranks)),
                  {},
                  wording::format("give {} of {} at most, or {} of {} at most", wording::option("nodes"), has,
                                  wording::option("processes"), std::int64_t{has} * machine.ranks));
}

std::string forecast_machine(const ClusterPredictRequest& request, PredictOptions& options, Forecasts& out) {
  const cluster::Machine machine = cluster::machine_of(request.machine);
  out.answer.cluster = {machine.parts.name, "described", true, machine.ranks};
  // Where a rank is a memory domain, its cores share the rank's rows; beside accelerators one core serves each.
  if (machine.parts.accelerator == nullptr)
    out.rank_threads =
        std::max(1, machine.parts.sockets * static_cast<int>(machine.parts.socket_cores) / machine.ranks);
  out.cores_idle = machine.ranks * out.rank_threads < machine.parts.sockets * machine.parts.socket_cores;
  put_counts(request.nodes.empty() ? counts_of_nodes(machine) : request.nodes, machine.ranks, options);
  require_nodes(machine, request.machine, options.processes);
  DeviceProperties node;
  node.name = machine.parts.name;
  node.memory_bytes = machine.memory_bytes;
  keep_what_fits(node, machine.ranks, out.answer.matrix, request.listener, options);
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
  const int cores = described.node.properties.compute_units;
  if (cores > 0 && described.ranks() > cores / described.threads)
    throw Error(ErrorCode::usage,
                fmt::format("{} processes of {} threads do not fit the {} cores of {}", described.ranks(),
                            described.threads, cores, described.node.name),
                {},
                wording::format("lower {} or {}", wording::option("ranks_per_node"), wording::option("rank_threads")));
  out.answer.cluster = {described.name(), "described", true, described.ranks()};
  out.rank_threads = described.threads;
  out.cores_idle = described.ranks() * described.threads < cores;
  put_counts(request.nodes.empty() ? std::vector{1, 2, 4, 8, 16} : request.nodes, described.ranks(), options);
  keep_what_fits(described.node.properties, described.ranks(), out.answer.matrix, request.listener, options);
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
        wording::format("warning: the calibration in {} was not completed: forecasts and their intervals use the {} "
                        "training runs that it holds; {} continues it",
                        request.profile.string(), profile.runs.size(),
                        wording::ask("cluster_calibrate", {{"resume", true}, {"output", request.profile}})));
  if (options.processes.empty()) options.processes = calibrated_counts(profile);
  for (const int processes : options.processes)
    if (const std::string remark = remark_on_places(profile, processes); !remark.empty())
      answers::remark(request.listener, remark);
  put_state(request, profile, options, out.answer);
  cluster::Prediction prediction = predict_cluster(out.matrix, profile, options);
  out.answer.forecasts = std::move(prediction.forecasts);
  if (!request.solver.empty()) put_solver(request, profile, out);
  return prediction.missing;
}

// A scheme that deals out rows leaves processes without any.
void remark_without_rows(const ClusterPrediction& answer, const Listener& listener) {
  const std::int64_t most = std::ranges::max(answer.forecasts, {}, &ClusterForecast::processes).processes;
  if (most > answer.matrix.rows)
    answers::remark(listener, fmt::format("{} processes are more than the {} rows: dealt out by rows, {} hold none",
                                          base::format_count(most), base::format_count(answer.matrix.rows),
                                          base::format_count(most - answer.matrix.rows)));
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

Forecasts forecasts_of(const ClusterPredictRequest& asked) {
  const ClusterPredictRequest request = answers::checked(asked);
  answers::check_together(request);
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
    if (!out.answer.square) answers::tell_not_square(request.listener, given.name());
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
  // What keeps all forecasts from being made is the reason, not a remark beside another.
  if (out.answer.forecasts.empty() && !missing.empty()) throw Error(ErrorCode::failed, missing);
  if (!missing.empty()) answers::tell(request.listener.remark, missing);
  remark_without_rows(out.answer, request.listener);
  answers::remark_unused(request, out.answer, missing.empty());
  put_choice(request, out);
  return out;
}

cluster::PlacedRanks ranks_of(const Forecasts& forecasts, int processes, int nodes) {
  return {processes, nodes, forecasts.answer.cluster.cores_per_node, forecasts.rank_threads, forecasts.cores_idle};
}

// " -ksp_type cg -pc_type jacobi" where PETSc has the method that was asked about.
std::string solver_options(const ClusterPredictRequest& request) {
  if (request.solver.empty()) return {};
  const solving::Method method = solving::parse_method(request.solver);
  const auto preconditioner = answers::petsc_preconditioner(request.preconditioner);
  if (!answers::petsc_iteration(method, preconditioner)) return {};
  return answers::petsc_words(method, preconditioner);
}

// Empty for 2du: PETSc deals out rows.
std::string petsc_options(const ClusterPredictRequest& request, ClusterScheme scheme, int threads) {
  if (scheme == ClusterScheme::two_d_uniform) return {};
  std::string options = "-dll_append libsparsecastpetsc.so -mat_type sparsecast -dm_mat_type sparsecast";
  options += solver_options(request);
  if (threads > 1) options += fmt::format(" -mat_sparsecast_threads {}", threads);
  return options;
}
}  // namespace

ClusterPrediction cluster_predict(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  return forecasts_of(request).answer;
}

ClusterAdvice cluster_advise(const ClusterPredictRequest& request) {
  const base::StopScope stop(request.listener.stop);
  ClusterPredictRequest asked = answers::checked(request);
  if (!asked.solver.empty()) answers::keep_rows(asked.schemes);
  // What is advised for PETSc's methods.
  if (!asked.solver.empty() && !asked.profile.empty() && asked.petsc_matrix.empty() &&
      answers::petsc_iteration(solving::parse_method(asked.solver), answers::PetscPreconditioner::none))
    asked.petsc_matrix = "sparsecast";
  const Forecasts forecasts = forecasts_of(asked);
  const ClusterPrediction& all = forecasts.answer;
  const bool possible = !all.within || all.within->possible;
  const ClusterPlace& place = !possible ? all.fastest : all.within ? *all.within->choice : all.recommended.place;
  return {.matrix = all.matrix,
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
          .launch = mpirun_line(ranks_of(forecasts, place.processes, place.nodes)),
          .petsc_options = petsc_options(request, place.scheme, forecasts.rank_threads)};
}

namespace {
// Slurm ends what takes longer, and the iterations are lost.
void remark_time_limit(const ClusterScriptRequest& request, const ClusterForecast& choice) {
  const Listener& listener = request.predict.listener;
  if (request.scheduler != "slurm") {
    if (request.time_limit != ClusterScriptRequest().time_limit)
      answers::remark_without_effect(request.scheduler, wording::option("time_limit", request.time_limit), listener);
    return;
  }
  const double total = choice.seconds * request.iterations, limit = *cluster::slurm_seconds(request.time_limit);
  if (total > limit)
    answers::remark(listener, wording::format("{} iterations take {}, more than the {} of {}", request.iterations,
                                              base::format_seconds(total), base::format_seconds(limit),
                                              wording::option("time_limit", request.time_limit)));
}
}  // namespace

ClusterScript cluster_script(const ClusterScriptRequest& given) {
  const base::StopScope stop(given.predict.listener.stop);
  const ClusterScriptRequest request = answers::checked(given);
  ClusterPredictRequest asked = request.predict;
  const auto* const file = std::get_if<std::filesystem::path>(&asked.matrix);
  if (file == nullptr || file->empty())
    throw Error(ErrorCode::usage, "a job script needs a matrix file", {}, "write the matrix to a file first");
  if (!asked.machine.empty() && cluster::machine_of(asked.machine).parts.accelerator != nullptr)
    throw Error(ErrorCode::usage,
                fmt::format("{} is forecast by its accelerators, and the job multiplies on processors", asked.machine),
                {},
                wording::format("give {} of processors alone, or {} {}",
                                wording::option("machine", wording::placeholder("NAME")),
                                wording::option("node", wording::placeholder("NAME")),
                                wording::option("network", wording::placeholder("NAME"))));
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
  script.cores_idle = forecasts.cores_idle;
  remark_time_limit(request, forecasts.recommended);
  ClusterScript answer{forecasts.answer.recommended, request.scheduler, job_script(forecasts.recommended, script)};
  answer.recommended.node_hours.reset();  // of a job that was not asked about
  if (!request.program.empty()) write_solver(forecasts.matrix, forecasts.recommended, request.program);
  return answer;
}
}  // namespace sparsecast

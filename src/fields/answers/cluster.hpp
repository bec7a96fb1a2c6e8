#pragma once
// The fields of <sparsecast/answers/cluster.hpp>.

#include <sparsecast/answers/cluster.hpp>

#include "fields/answers/evaluate.hpp"
#include "fields/answers/request.hpp"
#include "fields/cluster_forecast.hpp"
#include "fields/fields.hpp"
#include "fields/precision.hpp"
#include "fields/tier.hpp"

namespace sparsecast {

/// What questions about clusters count at most. (cluster/ stands below this table and has its own most_processes, which
/// is held to be the same.)
namespace cluster_asks {
inline constexpr int most_processes = 65536, most_ranks_per_node = 4096, most_rank_threads = 1024;
inline constexpr double most_iterations = 1e15, most_run_iterations = 1e6;
}  // namespace cluster_asks

template <>
struct Fields<ClusterPredictRequest> {
  static constexpr std::string_view about = "Which matrix to forecast on which cluster.";
  static constexpr auto table = std::tuple(
      field<&ClusterPredictRequest::matrix>(""),
      field<&ClusterPredictRequest::structure>(
          "with a node or a machine, instead of a matrix: poisson2d, poisson3d or stencil27 of any size, or a recipe "
          "such as rmat:scale=30,edges=1e10 or geometric:rows=1e9,row_mean=10; the matrix is not generated"),
      field<&ClusterPredictRequest::size>("for a stencil: grid points along an edge", at_least(0)),
      field<&ClusterPredictRequest::profile>("cluster profile, as `cluster calibrate` writes it"),
      field<&ClusterPredictRequest::node>("instead of a cluster profile: the node, as a name in the catalogue of "
                                          "devices, or a profile or description (.json)"),
      field<&ClusterPredictRequest::network>(
          "with a node: the network between the nodes, such as hdr200, or FILE.json"),
      field<&ClusterPredictRequest::machine>(
          "instead of a node and a network: a machine of the catalogue, such as fugaku"),
      field<&ClusterPredictRequest::nodes>(
          "with a node or a machine: numbers of nodes; none: 1, 2, 4, 8 and 16, or all nodes of the machine",
          between(1, cluster_asks::most_processes)),
      field<&ClusterPredictRequest::ranks_per_node>("with a node: processes per node; 0: one per core",
                                                    between(0, cluster_asks::most_ranks_per_node)),
      field<&ClusterPredictRequest::rank_threads>("with a node: threads per process (a cluster profile has its own)",
                                                  between(1, cluster_asks::most_rank_threads)),
      field<&ClusterPredictRequest::processes>("process counts to choose from; none: the calibrated ones",
                                               between(1, cluster_asks::most_processes)),
      field<&ClusterPredictRequest::schemes>("schemes: 2du, g1dr, l1dr; none: all"),
      field<&ClusterPredictRequest::formats>("formats: csr, coo; none: both"),
      field<&ClusterPredictRequest::model>("model: sparsecast, microbench, svr, linear or all"),
      field<&ClusterPredictRequest::full>(
          "for svr: search the published parameter grid if the profile holds no parameters found earlier"),
      field<&ClusterPredictRequest::seed>("seed of the random permutation that 2du uses"),
      field<&ClusterPredictRequest::precision>(""),
      field<&ClusterPredictRequest::iterations>("number of iterations of the job, for its time and node hours",
                                                between(1, cluster_asks::most_iterations)),
      field<&ClusterPredictRequest::within_s>(
          "find the fewest nodes that finish the iterations within this many seconds; 0: no limit", at_least(0)),
      field<&ClusterPredictRequest::solver>(
          "forecast iterations of cg, bicgstab, gmres[:m], chebyshev, jacobi or power instead of products"),
      field<&ClusterPredictRequest::preconditioner>("with PETSc's cg, bicgstab or gmres: none, jacobi (the default) or "
                                                    "bjacobi (each process's diagonal block, factorized without fill)"),
      field<&ClusterPredictRequest::petsc_matrix>(
          "with cg, bicgstab or gmres: PETSc's matrix type, aij or sparsecast (the kernel of a plan, by this host's "
          "profile); none: the csr kernel"),
      field<&ClusterPredictRequest::caches>(
          "two processes, if the profile met both states: common or apart, whether their cores share a last-level "
          "cache; none: the state that holds now, with intervals that cover both"),
      field<&ClusterPredictRequest::threads>("threads that read the matrix; 0: default_threads()", host_threads));
};

template <>
struct Fields<ClusterName> {
  static constexpr std::string_view about = "The cluster that an answer is about.";
  static constexpr auto table = std::tuple(
      field<&ClusterName::name>(""),
      field<&ClusterName::source>("where the cluster's data come from: measured, described, or simulated:PLATFORM"),
      field<&ClusterName::complete>("false: the calibration was not completed"),
      field<&ClusterName::cores_per_node>("number of processes that share a node", at_least(1)));
};

template <>
struct Fields<ClusterPlace> {
  static constexpr std::string_view about = "A scheme, a format and a number of processes.";
  static constexpr auto table = std::tuple(
      field<&ClusterPlace::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr").as("way"),
      field<&ClusterPlace::format>("storage format of each process's block: csr or coo"),
      field<&ClusterPlace::processes>("", at_least(1)),
      field<&ClusterPlace::nodes>("nodes that the processes occupy", at_least(1)),
      field<&ClusterPlace::seconds>("time of one iteration", above(0)),
      field<&ClusterPlace::low_s>("lower end of the 90 % interval", above(0)),
      field<&ClusterPlace::high_s>("upper end of the 90 % interval", above(0)),
      field<&ClusterPlace::tier>("basis of the forecast: measured, simulated, data sheet"),
      field<&ClusterPlace::extrapolated>("true: the profile was not calibrated at this process count"));
};

template <>
struct Fields<ClusterRecommendation> {
  static constexpr std::string_view about = "The fewest processes that come within 10 % of the fastest.";
  static constexpr auto table = std::tuple(
      field<&ClusterRecommendation::place>("").in_its_place(),
      field<&ClusterRecommendation::node_hours>("node hours of the requested iterations", at_least(0)).where_known(),
      field<&ClusterRecommendation::reason>("the reason, in one line"));
};

template <>
struct Fields<ClusterWithin> {
  static constexpr std::string_view about = "The fewest nodes that finish the iterations in time.";
  static constexpr auto table =
      std::tuple(field<&ClusterWithin::asked_s>("", above(0)),
                 field<&ClusterWithin::possible>("true: one of these node counts is fast enough"),
                 field<&ClusterWithin::choice>("").where_known(),
                 field<&ClusterWithin::total_s>("time of all iterations", above(0)).where_known(),
                 field<&ClusterWithin::node_hours>("node hours of all iterations", at_least(0)).where_known());
};

template <>
struct Fields<ClusterPrediction> {
  using P = ClusterPrediction;
  static constexpr std::string_view about = "Result of cluster_predict()";
  static constexpr auto table = std::tuple(
      field<&P::matrix>(""),
      field<&P::square>("false: the matrix is not square, so each iteration is a product y = A·x with the same x"),
      field<&P::cluster>(""), field<&P::forecasts>("forecasts by process count, scheme, format and model"),
      field<&P::solver>("method whose iterations are forecast; absent for plain products").where_known(),
      field<&P::precision>("precision of values, vectors and messages; double if missing").where_known(),
      field<&P::handover_s>("time in which two cores hand over a cache line now, if that decides", above(0))
          .where_known(),
      field<&P::recommended>("the fewest processes that come within 10 % of the fastest"), field<&P::fastest>(""),
      field<&P::scaling>("time as a function of the number of processes"),
      field<&P::scaling_end>("the number of processes beyond which more of them no longer help"),
      field<&P::iterations>("number of iterations of the job", at_least(1)),
      field<&P::within>("the fewest nodes that finish in time, if a limit was given").where_known());
};

template <>
struct Fields<ClusterAdvice> {
  using A = ClusterAdvice;
  static constexpr std::string_view about = "Result of cluster_advise()";
  static constexpr auto table = std::tuple(
      field<&A::matrix>(""),
      field<&A::square>("false: the matrix is not square, so each iteration is a product y = A·x with the same x"),
      field<&A::cluster>(""),
      field<&A::solver>("method whose iterations are forecast; absent for plain products").where_known(),
      field<&A::iterations>("number of iterations of the job", at_least(1)),
      field<&A::possible>("true: the job can finish within the requested time"),
      field<&A::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr"),
      field<&A::format>("storage format of each process's block: csr or coo"), field<&A::processes>("", at_least(1)),
      field<&A::threads>("threads per process", at_least(1)),
      field<&A::nodes>("nodes that the processes occupy", at_least(1)),
      field<&A::seconds>("time of one iteration", above(0)),
      field<&A::low_s>("lower end of the 90 % interval", above(0)),
      field<&A::high_s>("upper end of the 90 % interval", above(0)),
      field<&A::extrapolated>("true: the profile was not calibrated at this process count"),
      field<&A::node_hours>("node hours of all iterations", at_least(0)),
      field<&A::launch>("what to put before the program on the command line"),
      field<&A::petsc_options>("options for a PETSc program, which deals out rows; empty for the scheme 2du"));
};

template <>
struct Fields<ClusterHpcgRequest> {
  using Q = ClusterHpcgRequest;
  static constexpr std::string_view about = "A system, as a list of the fastest computers describes it.";
  static constexpr auto table = std::tuple(
      field<&Q::computer>("name, dash and parts: \"Site 1 — AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA A100\""),
      field<&Q::cores>(
          "number of cores as such lists count them: cores of processors plus multiprocessors of accelerators",
          at_least(0)));
};

template <>
struct Fields<ClusterHpcg> {
  using A = ClusterHpcg;
  static constexpr std::string_view about = "Result of cluster_hpcg()";
  static constexpr auto table = std::tuple(
      field<&A::computer>(""), field<&A::name>("name of the system: the part before the dash"),
      field<&A::reason>("why there is no forecast; empty if there is one"),
      field<&A::processor>("processor, by its name in the catalogue of parts"),
      field<&A::accelerator>("accelerator, by its name in the catalogue of parts; empty: none"),
      field<&A::network>("network, by its name in the catalogue of parts; empty: none found"),
      field<&A::nodes>("number of nodes that have that many cores", at_least(0)),
      field<&A::sockets>("number of sockets per node", at_least(0)),
      field<&A::accelerators>("number of accelerators per node", at_least(0)),
      field<&A::whole>("false: the number of cores is not a multiple of a node's cores"),
      field<&A::memory_bandwidth>("bytes/s of all nodes together, for the memory that limits the rate", at_least(0)),
      field<&A::sweep_s>("time per iteration spent in memory traffic", at_least(0)),
      field<&A::sums_s>("time per iteration spent in sums over all nodes", at_least(0)),
      field<&A::rate>("forecast rate in HPCG, flop/s", above(0)),
      field<&A::low>("lower end of the 90 % interval", above(0)),
      field<&A::high>("upper end of the 90 % interval", above(0)),
      field<&A::alike>("number of systems with the same processor or accelerator that the model was learned from",
                       at_least(0)),
      field<&A::extrapolated>("true: more nodes than any of the systems that the model was learned from"),
      field<&A::decides>("the part that limits the rate"),
      field<&A::left_out>("true: nothing was learned from a system of this name"),
      field<&A::share_of_bandwidth>("share of the data sheets' bandwidth that such systems achieve", at_least(0)));
};

template <>
struct Fields<ClusterScriptRequest> {
  static constexpr std::string_view about = "A job script for a forecast.";
  static constexpr auto table = std::tuple(
      field<&ClusterScriptRequest::predict>("").in_its_place(),
      field<&ClusterScriptRequest::scheduler>("scheduler: slurm or mpirun"),
      field<&ClusterScriptRequest::launcher>("launcher to write into the script; empty: srun or mpirun"),
      field<&ClusterScriptRequest::iterations>("number of iterations in each timed batch",
                                               between(1, cluster_asks::most_run_iterations)),
      field<&ClusterScriptRequest::time_limit>("Slurm's time limit"),
      field<&ClusterScriptRequest::program>("also write an MPI program that uses this partition into this folder: "
                                            "sparsecast_mpi.hpp, a solver that uses it, and parts.txt (scheme l1dr)"));
};

template <>
struct Fields<ClusterScript> {
  static constexpr std::string_view about = "The job script of the recommended configuration.";
  static constexpr auto table = std::tuple(field<&ClusterScript::recommended>("what the script runs"),
                                           field<&ClusterScript::scheduler>("scheduler: slurm or mpirun"),
                                           field<&ClusterScript::script>("text of the script"));
};

template <>
struct Fields<ClusterMeasureRequest> {
  static constexpr std::string_view about = "What to measure.";
  static constexpr auto table = std::tuple(
      field<&ClusterMeasureRequest::matrix>(""),
      field<&ClusterMeasureRequest::processes>("process counts", between(1, cluster_asks::most_processes)),
      field<&ClusterMeasureRequest::schemes>(
          "schemes: 2du, g1dr, l1dr; those that a process count rules out are skipped"),
      field<&ClusterMeasureRequest::formats>("formats: csr, coo"),
      field<&ClusterMeasureRequest::iterations>("number of iterations in each timed batch",
                                                between(1, cluster_asks::most_run_iterations)),
      field<&ClusterMeasureRequest::seed>("seed of the random permutation that 2du uses"),
      field<&ClusterMeasureRequest::launcher>(
          "command that starts the processes, with its options separated by blanks"),
      field<&ClusterMeasureRequest::rank_threads>("threads per process; they multiply its block",
                                                  between(1, cluster_asks::most_rank_threads)),
      field<&ClusterMeasureRequest::platform>(
          "simulate on this SimGrid platform; the local products are timed on this machine"),
      field<&ClusterMeasureRequest::patience_s>("end the run after this many seconds without a sign of life", above(0)),
      field<&ClusterMeasureRequest::budget_s>("time limit per case, in seconds", above(0)),
      field<&ClusterMeasureRequest::scratch>("folder for the job, which the first node must be able to read and write"),
      field<&ClusterMeasureRequest::check>("compare with one process, which then holds the whole matrix"),
      field<&ClusterMeasureRequest::precision>(""),
      field<&ClusterMeasureRequest::threads>("threads that read the matrix; 0: default_threads()", host_threads));
};

template <>
struct Fields<ClusterTime> {
  using T = ClusterTime;
  static constexpr std::string_view about = "One iteration as it was measured.";
  static constexpr auto table = std::tuple(
      field<&T::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr").as("way"),
      field<&T::scheme>("the same, under the name that requests use"),
      field<&T::format>("storage format of each process's block: csr or coo"), field<&T::processes>("", at_least(1)),
      field<&T::nodes>("nodes on which the launcher put the processes", at_least(1)),
      field<&T::seconds>("time of one iteration on the slowest process", above(0)),
      field<&T::low_s>("5th percentile of the batches", at_least(0)),
      field<&T::high_s>("95th percentile of the batches", at_least(0)),
      field<&T::core_s>("part of the time spent in local products", at_least(0)),
      field<&T::communication_s>("the rest of the time", at_least(0)),
      field<&T::batches>("number of batches that were timed", at_least(1)),
      field<&T::threads>("threads per process, if more than one", at_least(2)).where_known(),
      field<&T::precision>("precision of values, vectors and messages; double if missing").where_known(),
      field<&T::checksum_error>("‖x − x₁‖∞ / ‖x₁‖∞ against one process; null if unchecked or simulated", at_least(0)),
      field<&T::norm>("2-norm of the resulting vector; null if it exceeds the range of double"),
      field<&T::norm_log2>("base-2 logarithm of that norm"),
      field<&T::source>("where the times come from: measured, or simulated:PLATFORM"),
      field<&T::states>("two processes on a node: times by how their cores hand over a cache line").where_known());
};

template <>
struct Fields<RankMemory> {
  static constexpr std::string_view about = "Resident memory of every process.";
  static constexpr auto table = std::tuple(field<&RankMemory::processes>("", at_least(1)),
                                           field<&RankMemory::base_bytes>("bytes before the work", at_least(0)),
                                           field<&RankMemory::peak_bytes>("bytes at the peak", at_least(0)));
};

template <>
struct Fields<ClusterTimes> {
  static constexpr std::string_view about = "Result of cluster_measure()";
  static constexpr auto table =
      std::tuple(field<&ClusterTimes::matrix>("name of the matrix file, as given"),
                 field<&ClusterTimes::square>(
                     "false: the matrix is not square, so each iteration was a product y = A·x with the same x"),
                 field<&ClusterTimes::iterations>("number of iterations in each timed batch", at_least(1)),
                 field<&ClusterTimes::measurements>("times by process count, scheme and format"),
                 field<&ClusterTimes::rank_memory>("memory before the work and at its peak; empty in a simulation"));
};

template <>
struct Fields<ClusterEvaluateRequest> {
  using Q = ClusterEvaluateRequest;
  static constexpr std::string_view about = "What to judge.";
  static constexpr auto table = std::tuple(
      field<&Q::matrices>("matrix files, or folders of them"),
      field<&Q::profile>("cluster profile, as `cluster calibrate` writes it"),
      field<&Q::processes>("process counts; none: the calibrated ones", between(1, cluster_asks::most_processes)),
      field<&Q::schemes>("schemes: 2du, g1dr, l1dr; those that a process count rules out are skipped"),
      field<&Q::formats>("formats: csr, coo"), field<&Q::model>("model: sparsecast, microbench, svr, linear or all"),
      field<&Q::full>("for svr: search the published parameter grid if the profile holds no parameters found earlier"),
      field<&Q::iterations>("number of iterations in each timed batch", between(1, cluster_asks::most_run_iterations)),
      field<&Q::seed>("seed of the random permutation that 2du uses"),
      field<&Q::launcher>("command that starts the processes, with its options separated by blanks"),
      field<&Q::platform>("simulate on this SimGrid platform, on which the profile was made"),
      field<&Q::patience_s>("end a run after this many seconds without a sign of life", above(0)),
      field<&Q::budget_s>("time limit per case, in seconds", above(0)),
      field<&Q::scratch>("folder for the jobs, which the first node must be able to read and write"),
      field<&Q::precision>(""),
      field<&Q::threads>("threads that read the matrices; 0: default_threads()", host_threads));
};

template <>
struct Fields<ClusterEvaluationCase> {
  using C = ClusterEvaluationCase;
  static constexpr std::string_view about = "One forecast beside the measured time of the same iteration.";
  static constexpr auto table = std::tuple(
      field<&C::matrix>(""), field<&C::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr"),
      field<&C::format>("storage format of each process's block: csr or coo"),
      field<&C::model>("model that made the forecast"), field<&C::processes>("", at_least(1)),
      field<&C::nodes>("nodes that the processes occupy", at_least(1)),
      field<&C::measured_s>("time of one iteration on the slowest process", above(0)),
      field<&C::seconds>("forecast time of one iteration", above(0)),
      field<&C::low_s>("lower end of the 90 % interval", above(0)),
      field<&C::high_s>("upper end of the 90 % interval", above(0)),
      field<&C::extrapolated>("true: the profile was not calibrated at this process count"),
      field<&C::error>("|measured − forecast| / measured", at_least(0)));
};

template <>
struct Fields<ClusterModelErrors> {
  using E = ClusterModelErrors;
  static constexpr std::string_view about = "Errors of one model for one scheme and format.";
  static constexpr auto table =
      std::tuple(field<&E::scheme>("how the matrix is distributed over the processes: 2du, g1dr or l1dr"),
                 field<&E::format>("storage format of each process's block: csr or coo"), field<&E::model>(""),
                 field<&E::cases>("number of cases: a matrix at a process count each", at_least(1)),
                 field<&E::mean_error>("", at_least(0)), field<&E::max_error>("", at_least(0)),
                 field<&E::coverage>("share of the times that lie within their intervals", at_least(0)));
};

template <>
struct Fields<ClusterEvaluation> {
  using E = ClusterEvaluation;
  static constexpr std::string_view about = "Result of cluster_evaluate()";
  static constexpr auto table = std::tuple(
      field<&E::cluster>(""), field<&E::source>("where the times come from: measured, or simulated:PLATFORM"),
      field<&E::iterations>("number of iterations in each timed batch", at_least(1)),
      field<&E::cases>("cases by matrix, process count, scheme, format and model"),
      field<&E::summary>("errors by scheme, format and model"),
      field<&E::skipped>("forecasts without a measured time, and why"));
};

template <>
struct Fields<ClusterCalibrateRequest> {
  static constexpr std::string_view about = "What to calibrate.";
  static constexpr auto table = std::tuple(
      field<&ClusterCalibrateRequest::output>("file for the cluster profile, written after every step"),
      field<&ClusterCalibrateRequest::processes>("process counts", between(1, cluster_asks::most_processes)),
      field<&ClusterCalibrateRequest::launcher>(
          "command that starts the processes, with its options separated by blanks"),
      field<&ClusterCalibrateRequest::rank_threads>("threads per process, for this profile and its forecasts",
                                                    between(1, cluster_asks::most_rank_threads)),
      field<&ClusterCalibrateRequest::platform>("simulate on this SimGrid platform instead of measuring"),
      field<&ClusterCalibrateRequest::cores_per_node>(
          "number of processes that share a node; 0: the number of cores of this machine",
          between(0, cluster_asks::most_ranks_per_node)),
      field<&ClusterCalibrateRequest::name>("name of the cluster; empty: the name of the file"),
      field<&ClusterCalibrateRequest::patience_s>("end a run after this many seconds without a sign of life", above(0)),
      field<&ClusterCalibrateRequest::scratch>(
          "folder for the jobs, which the first node must be able to read and write"),
      field<&ClusterCalibrateRequest::resume>("resume an interrupted calibration: keep what the output file holds"),
      field<&ClusterCalibrateRequest::quick>("calibrate roughly with fewer training matrices: at most two minutes, or "
                                             "40 seconds if this host is calibrated"),
      field<&ClusterCalibrateRequest::full>(
          "use ninety training matrices and the regression's whole grid of parameters"));
};

template <>
struct Fields<ClusterCalibration> {
  static constexpr std::string_view about = "Result of cluster_calibrate()";
  static constexpr auto table =
      std::tuple(field<&ClusterCalibration::file>("file of the cluster profile"),
                 field<&ClusterCalibration::name>("name of the cluster"),
                 field<&ClusterCalibration::source>("where the times come from: measured, or simulated:PLATFORM"),
                 field<&ClusterCalibration::complete>("false: some messages or training runs were not done"),
                 field<&ClusterCalibration::processes>("process counts", at_least(1)),
                 field<&ClusterCalibration::message_times>("", at_least(0)),
                 field<&ClusterCalibration::timed_blocks>("", at_least(0)),
                 field<&ClusterCalibration::training_runs>("", at_least(0)));
};

}  // namespace sparsecast

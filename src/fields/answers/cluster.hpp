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

template <>
struct Fields<ClusterPredictRequest> {
  static constexpr std::string_view about = "Which matrix on which cluster.";
  static constexpr auto table = std::tuple(
      field<&ClusterPredictRequest::matrix>(""),
      field<&ClusterPredictRequest::structure>(
          "with a node or a machine, in place of a matrix: poisson2d, poisson3d or stencil27 of any size, or a recipe "
          "as "
          "rmat:scale=30,edges=1e10 or geometric:rows=1e9,row_mean=10; nothing is made"),
      field<&ClusterPredictRequest::size>("with a stencil: grid points along an edge", at_least(0)),
      field<&ClusterPredictRequest::profile>("a cluster profile, as `cluster calibrate` writes it"),
      field<&ClusterPredictRequest::node>("without a cluster profile: the node, by its name in the catalogue of "
                                          "devices, or a profile or description in a .json file"),
      field<&ClusterPredictRequest::network>("with a node: the network between nodes, as hdr200, or FILE.json"),
      field<&ClusterPredictRequest::machine>("in place of a node and a network: one of the catalogue, as fugaku"),
      field<&ClusterPredictRequest::nodes>("with a node: counts of nodes; none: 1, 2, 4, 8, 16, of a machine all"),
      field<&ClusterPredictRequest::ranks_per_node>("with a node: processes on each; 0: one on every core",
                                                    at_least(0)),
      field<&ClusterPredictRequest::rank_threads>("with a node: threads of each process (a profile knows its own)",
                                                  at_least(0)),
      field<&ClusterPredictRequest::processes>("process counts to choose from; none: those calibrated"),
      field<&ClusterPredictRequest::schemes>("2du, g1dr, l1dr; none: all"),
      field<&ClusterPredictRequest::formats>("csr, coo; none: both"),
      field<&ClusterPredictRequest::model>("sparsecast, microbench, svr, linear or all"),
      field<&ClusterPredictRequest::full>(
          "svr: the grid of its parameters as it was published, where the profile holds none that were searched"),
      field<&ClusterPredictRequest::seed>("of the random permutation of 2du"),
      field<&ClusterPredictRequest::precision>(""),
      field<&ClusterPredictRequest::iterations>("iterations of a job, for its time and node hours"),
      field<&ClusterPredictRequest::within_s>("seconds: the fewest nodes that do the iterations in time; 0: not asked"),
      field<&ClusterPredictRequest::solver>(
          "iterations of cg, bicgstab, gmres[:m], chebyshev, jacobi or power instead of products"),
      field<&ClusterPredictRequest::preconditioner>("with cg, bicgstab or gmres, which are PETSc's: none, jacobi (the "
                                                    "default) or bjacobi, a block of each process "
                                                    "eliminated without fill"),
      field<&ClusterPredictRequest::petsc_matrix>(
          "with cg, bicgstab or gmres: products of PETSc's aij, or of sparsecast, the kernel of a plan, by this host's "
          "profile; none: of the csr kernel"),
      field<&ClusterPredictRequest::caches>(
          "of two processes, where the profile met both: common or apart, as their cores have a last-level cache in "
          "common or not; none: as it is now, and intervals hold both"),
      field<&ClusterPredictRequest::threads>("that read the matrix; 0: default_threads()", at_least(0)));
};

template <>
struct Fields<ClusterName> {
  static constexpr std::string_view about = "The cluster that an answer is of.";
  static constexpr auto table = std::tuple(
      field<&ClusterName::name>(""), field<&ClusterName::source>("measured, described, or simulated:PLATFORM"),
      field<&ClusterName::complete>("false: the calibration did not get to its end"),
      field<&ClusterName::cores_per_node>("processes that share a node", at_least(1)));
};

template <>
struct Fields<ClusterPlace> {
  static constexpr std::string_view about = "A scheme, format and number of processes.";
  static constexpr auto table = std::tuple(
      field<&ClusterPlace::scheme>("how the product is shared out").as("way"),
      field<&ClusterPlace::format>("of each process's block"), field<&ClusterPlace::processes>("", at_least(1)),
      field<&ClusterPlace::nodes>("that they fill", at_least(1)),
      field<&ClusterPlace::seconds>("one iteration", above(0)),
      field<&ClusterPlace::low_s>("least of the 90 % interval", above(0)),
      field<&ClusterPlace::high_s>("most of the 90 % interval", above(0)),
      field<&ClusterPlace::tier>("what it rests on: measured, simulated, data sheet"),
      field<&ClusterPlace::extrapolated>("the profile was not calibrated on this process count"));
};

template <>
struct Fields<ClusterRecommendation> {
  static constexpr std::string_view about = "The fewest processes within 10 % of the fastest.";
  static constexpr auto table =
      std::tuple(field<&ClusterRecommendation::place>("").in_its_place(),
                 field<&ClusterRecommendation::node_hours>("of so many iterations", at_least(0)).where_known(),
                 field<&ClusterRecommendation::reason>("in one line"));
};

template <>
struct Fields<ClusterWithin> {
  static constexpr std::string_view about = "The fewest nodes that do the iterations in time.";
  static constexpr auto table =
      std::tuple(field<&ClusterWithin::asked_s>("", above(0)), field<&ClusterWithin::possible>("on these counts"),
                 field<&ClusterWithin::choice>("").where_known(),
                 field<&ClusterWithin::total_s>("of all iterations", above(0)).where_known(),
                 field<&ClusterWithin::node_hours>("of all iterations", at_least(0)).where_known());
};

template <>
struct Fields<ClusterPrediction> {
  using P = ClusterPrediction;
  static constexpr std::string_view about = "What cluster_predict() answers";
  static constexpr auto table = std::tuple(
      field<&P::matrix>(""), field<&P::square>("false: an iteration is a product y = A·x with the same x"),
      field<&P::cluster>(""), field<&P::forecasts>("by process count, scheme, format and model"),
      field<&P::solver>("the method whose iterations are forecast; absent: products").where_known(),
      field<&P::precision>("of values, vectors and messages; missing: double").where_known(),
      field<&P::handover_s>("seconds in which two cores hand over a cache line now, where that decides", above(0))
          .where_known(),
      field<&P::recommended>("the fewest processes within 10 % of the fastest"), field<&P::fastest>(""),
      field<&P::scaling>("time against processes"), field<&P::scaling_end>("where more processes stop to help"),
      field<&P::iterations>("of a job", at_least(1)),
      field<&P::within>("where a limit to the loss was given").where_known());
};

template <>
struct Fields<ClusterAdvice> {
  using A = ClusterAdvice;
  static constexpr std::string_view about = "What cluster_advise() answers";
  static constexpr auto table =
      std::tuple(field<&A::matrix>(""), field<&A::square>("false: an iteration is a product y = A·x with the same x"),
                 field<&A::cluster>(""),
                 field<&A::solver>("the method whose iterations are forecast; absent: products").where_known(),
                 field<&A::iterations>("of a job", at_least(1)), field<&A::possible>("in the time that was asked for"),
                 field<&A::scheme>("how the product is shared out"), field<&A::format>("of each process's block"),
                 field<&A::processes>("", at_least(1)), field<&A::threads>("of each process", at_least(1)),
                 field<&A::nodes>("that they fill", at_least(1)), field<&A::seconds>("one iteration", above(0)),
                 field<&A::low_s>("least of the 90 % interval", above(0)),
                 field<&A::high_s>("most of the 90 % interval", above(0)),
                 field<&A::extrapolated>("the profile was not calibrated on this process count"),
                 field<&A::node_hours>("of all iterations", at_least(0)),
                 field<&A::launch>("the words before the program on the command line"),
                 field<&A::petsc_options>("of a program of PETSc's, whose products are l1dr's"));
};

template <>
struct Fields<ClusterHpcgRequest> {
  using Q = ClusterHpcgRequest;
  static constexpr std::string_view about = "A system as a list of the fastest computers describes it.";
  static constexpr auto table = std::tuple(
      field<&Q::computer>("name, dash, parts: \"Site 1 — AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA A100\""),
      field<&Q::cores>("as such lists count them: of processors, and the multiprocessors of accelerators",
                       at_least(0)));
};

template <>
struct Fields<ClusterHpcg> {
  using A = ClusterHpcg;
  static constexpr std::string_view about = "What cluster_hpcg() answers";
  static constexpr auto table = std::tuple(
      field<&A::computer>(""), field<&A::name>("in front of the dash"),
      field<&A::reason>("why there is no forecast; empty: there is one"),
      field<&A::processor>("as the catalogue of parts calls it"), field<&A::accelerator>("the same; empty: none"),
      field<&A::network>("the same; empty: none was found"), field<&A::nodes>("that so many cores are", at_least(0)),
      field<&A::sockets>("of a node", at_least(0)), field<&A::accelerators>("of a node", at_least(0)),
      field<&A::whole>("false: the cores are no multiple of a node's"),
      field<&A::memory_bandwidth>("bytes/s, of all nodes, of the memory that decides", at_least(0)),
      field<&A::sweep_s>("of an iteration, in memory", at_least(0)),
      field<&A::sums_s>("of an iteration, in sums over all nodes", at_least(0)), field<&A::rate>("flop/s", above(0)),
      field<&A::low>("least of the 90 % interval", above(0)), field<&A::high>("most of the 90 % interval", above(0)),
      field<&A::alike>("systems with the same processor or accelerator that it was learned from", at_least(0)),
      field<&A::extrapolated>("more nodes than any of the systems learned from has"),
      field<&A::decides>("what the rate hangs on"),
      field<&A::left_out>("nothing was learned from a system of this name"),
      field<&A::share_of_bandwidth>("of the data sheets' that such systems reach", at_least(0)));
};

template <>
struct Fields<ClusterScriptRequest> {
  static constexpr std::string_view about = "A job for it.";
  static constexpr auto table = std::tuple(
      field<&ClusterScriptRequest::predict>("").in_its_place(),
      field<&ClusterScriptRequest::scheduler>("slurm or mpirun"),
      field<&ClusterScriptRequest::launcher>("launcher in the script; empty: srun or mpirun"),
      field<&ClusterScriptRequest::iterations>("iterations per timed batch", at_least(0)),
      field<&ClusterScriptRequest::time_limit>("Slurm's time limit"),
      field<&ClusterScriptRequest::program>(
          "also write a program of one's own on this partition to a folder: sparsecast_mpi.hpp, a solver that uses it, "
          "parts.txt (scheme l1dr)"));
};

template <>
struct Fields<ClusterScript> {
  static constexpr std::string_view about = "The job script of what is recommended.";
  static constexpr auto table =
      std::tuple(field<&ClusterScript::recommended>("what the script runs"),
                 field<&ClusterScript::scheduler>("slurm or mpirun"), field<&ClusterScript::script>("its text"));
};

template <>
struct Fields<ClusterMeasureRequest> {
  static constexpr std::string_view about = "What is measured.";
  static constexpr auto table = std::tuple(
      field<&ClusterMeasureRequest::matrix>(""), field<&ClusterMeasureRequest::processes>("process counts"),
      field<&ClusterMeasureRequest::schemes>("2du, g1dr, l1dr: of several, those that a count admits"),
      field<&ClusterMeasureRequest::formats>("csr, coo"),
      field<&ClusterMeasureRequest::iterations>("iterations per timed batch", at_least(0)),
      field<&ClusterMeasureRequest::seed>("of the random permutation of 2du"),
      field<&ClusterMeasureRequest::launcher>("launcher and its options, separated by blanks"),
      field<&ClusterMeasureRequest::rank_threads>("threads of each process, which multiply its block", at_least(0)),
      field<&ClusterMeasureRequest::platform>("simulate on this SimGrid platform: local products timed here"),
      field<&ClusterMeasureRequest::patience_s>("seconds without a sign of life, after which the run is ended"),
      field<&ClusterMeasureRequest::budget_s>("seconds of measuring per case"),
      field<&ClusterMeasureRequest::scratch>("folder for the job, seen by the first node"),
      field<&ClusterMeasureRequest::check>("compare with one process, which then holds the whole matrix"),
      field<&ClusterMeasureRequest::precision>(""),
      field<&ClusterMeasureRequest::threads>("that read the matrix; 0: default_threads()", at_least(0)));
};

template <>
struct Fields<ClusterTime> {
  using T = ClusterTime;
  static constexpr std::string_view about = "One iteration as it ran.";
  static constexpr auto table = std::tuple(
      field<&T::scheme>("how the product is shared out").as("way"), field<&T::scheme>("the same"),
      field<&T::format>("of each process's block"), field<&T::processes>("", at_least(1)),
      field<&T::nodes>("", at_least(1)), field<&T::seconds>("one iteration, slowest process", above(0)),
      field<&T::low_s>("5th percentile", at_least(0)), field<&T::high_s>("95th percentile", at_least(0)),
      field<&T::core_s>("of it in local products", at_least(0)), field<&T::communication_s>("the rest", at_least(0)),
      field<&T::batches>("that were timed", at_least(1)),
      field<&T::threads>("of each process, where there are several", at_least(2)).where_known(),
      field<&T::precision>("of values, vectors and messages; missing: double").where_known(),
      field<&T::checksum_error>("‖x − x₁‖∞ / ‖x₁‖∞ against one process; null where unchecked or simulated",
                                at_least(0)),
      field<&T::norm>("2-norm of the resulting vector; null where it leaves the range of double"),
      field<&T::norm_log2>("its logarithm"), field<&T::source>("measured, or simulated:PLATFORM"),
      field<&T::states>("of two processes on a node: by how their cores hand over a cache line").where_known());
};

template <>
struct Fields<RankMemory> {
  static constexpr std::string_view about = "Resident memory of every rank.";
  static constexpr auto table = std::tuple(field<&RankMemory::processes>("", at_least(1)),
                                           field<&RankMemory::base_bytes>("before the work", at_least(0)),
                                           field<&RankMemory::peak_bytes>("at its peak", at_least(0)));
};

template <>
struct Fields<ClusterTimes> {
  static constexpr std::string_view about = "What cluster_measure() answers";
  static constexpr auto table =
      std::tuple(field<&ClusterTimes::matrix>("the file as it was named"),
                 field<&ClusterTimes::square>("false: an iteration was a product y = A·x with the same x"),
                 field<&ClusterTimes::iterations>("per timed batch", at_least(1)),
                 field<&ClusterTimes::measurements>("by process count, scheme and format"),
                 field<&ClusterTimes::rank_memory>("before the work and at its peak; empty in a simulation"));
};

template <>
struct Fields<ClusterEvaluateRequest> {
  using Q = ClusterEvaluateRequest;
  static constexpr std::string_view about = "What is judged.";
  static constexpr auto table = std::tuple(
      field<&Q::matrices>("matrix files or folders of them"),
      field<&Q::profile>("a cluster profile, as `cluster calibrate` writes it"),
      field<&Q::processes>("process counts; none: those calibrated"),
      field<&Q::schemes>("2du, g1dr, l1dr: of several, those that a count admits"), field<&Q::formats>("csr, coo"),
      field<&Q::model>("sparsecast, microbench, svr, linear or all"),
      field<&Q::full>(
          "svr: the grid of its parameters as it was published, where the profile holds none that were searched"),
      field<&Q::iterations>("iterations per timed batch", at_least(0)),
      field<&Q::seed>("of the random permutation of 2du"),
      field<&Q::launcher>("launcher and its options, separated by blanks"),
      field<&Q::platform>("simulate on this SimGrid platform, on which the profile was made"),
      field<&Q::patience_s>("seconds without a sign of life, after which a run is ended"),
      field<&Q::budget_s>("seconds of measuring per case"),
      field<&Q::scratch>("folder for the jobs, seen by the first node"), field<&Q::precision>(""),
      field<&Q::threads>("that read the matrices; 0: default_threads()", at_least(0)));
};

template <>
struct Fields<ClusterEvaluationCase> {
  using C = ClusterEvaluationCase;
  static constexpr std::string_view about = "One forecast beside the time of the same iteration.";
  static constexpr auto table = std::tuple(
      field<&C::matrix>(""), field<&C::scheme>("how the product is shared out"),
      field<&C::format>("of each process's block"), field<&C::model>("that forecast it"),
      field<&C::processes>("", at_least(1)), field<&C::nodes>("that they fill", at_least(1)),
      field<&C::measured_s>("one iteration, slowest process", above(0)),
      field<&C::seconds>("as it was forecast", above(0)), field<&C::low_s>("least of the 90 % interval", above(0)),
      field<&C::high_s>("most of the 90 % interval", above(0)),
      field<&C::extrapolated>("the profile was not calibrated on this process count"),
      field<&C::error>("|measured − forecast| / measured", at_least(0)));
};

template <>
struct Fields<ClusterModelErrors> {
  using E = ClusterModelErrors;
  static constexpr std::string_view about = "Errors of one model in one scheme and format.";
  static constexpr auto table =
      std::tuple(field<&E::scheme>("how the product is shared out"), field<&E::format>("of each process's block"),
                 field<&E::model>(""), field<&E::cases>("matrices and process counts", at_least(1)),
                 field<&E::mean_error>("", at_least(0)), field<&E::max_error>("", at_least(0)),
                 field<&E::coverage>("share of the times within their intervals", at_least(0)));
};

template <>
struct Fields<ClusterEvaluation> {
  using E = ClusterEvaluation;
  static constexpr std::string_view about = "What cluster_evaluate() answers";
  static constexpr auto table = std::tuple(
      field<&E::cluster>(""), field<&E::source>("of the times: measured, or simulated:PLATFORM"),
      field<&E::iterations>("per timed batch", at_least(1)),
      field<&E::cases>("by matrix, process count, scheme, format and model"),
      field<&E::summary>("by scheme, format and model"), field<&E::skipped>("forecasts without a time, and why"));
};

template <>
struct Fields<ClusterCalibrateRequest> {
  static constexpr std::string_view about = "What is calibrated.";
  static constexpr auto table = std::tuple(
      field<&ClusterCalibrateRequest::output>("the cluster profile, written after every step"),
      field<&ClusterCalibrateRequest::processes>("process counts"),
      field<&ClusterCalibrateRequest::launcher>("launcher and its options, separated by blanks"),
      field<&ClusterCalibrateRequest::rank_threads>("threads of each process, in this profile and its forecasts",
                                                    at_least(0)),
      field<&ClusterCalibrateRequest::platform>("simulate on this SimGrid platform instead of measuring"),
      field<&ClusterCalibrateRequest::cores_per_node>("processes that share a node; 0: the cores of this machine",
                                                      at_least(0)),
      field<&ClusterCalibrateRequest::name>("name of the cluster; empty: the file's"),
      field<&ClusterCalibrateRequest::patience_s>("seconds without a sign of life, after which a run is ended"),
      field<&ClusterCalibrateRequest::scratch>("folder for the jobs, seen by the first node"),
      field<&ClusterCalibrateRequest::resume>("resume an interrupted calibration: keep what the output file holds"),
      field<&ClusterCalibrateRequest::quick>(
          "fewer training matrices, two minutes at most, 40 seconds where this host is calibrated: a first look"),
      field<&ClusterCalibrateRequest::full>("ninety training matrices and the regression's whole grid of parameters"));
};

template <>
struct Fields<ClusterCalibration> {
  static constexpr std::string_view about = "What cluster_calibrate() answers";
  static constexpr auto table =
      std::tuple(field<&ClusterCalibration::file>("the profile"), field<&ClusterCalibration::name>("of the cluster"),
                 field<&ClusterCalibration::source>("measured, or simulated:PLATFORM"),
                 field<&ClusterCalibration::complete>("false: not all training runs were done"),
                 field<&ClusterCalibration::processes>("counts", at_least(1)),
                 field<&ClusterCalibration::message_times>("", at_least(0)),
                 field<&ClusterCalibration::timed_blocks>("", at_least(0)),
                 field<&ClusterCalibration::training_runs>("", at_least(0)));
};

}  // namespace sparsecast

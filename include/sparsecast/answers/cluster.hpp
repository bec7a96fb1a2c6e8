#pragma once
// cluster_predict, cluster_advise, cluster_script, cluster_measure, cluster_evaluate, cluster_calibrate: iterated
// products on MPI clusters. cluster_hpcg: a whole machine's rate in HPCG from what lists say of it.
//
// Thread safety: requests and answers are values; the functions are safe from several threads at once (those that
// measure disturb each other's times).

#include <cstdint>
#include <optional>
#include <sparsecast/answers/evaluate.hpp>
#include <sparsecast/answers/request.hpp>
#include <sparsecast/cluster_forecast.hpp>
#include <sparsecast/tier.hpp>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

using ClusterScheme = cluster::Scheme;
using ClusterFormat = cluster::LocalFormat;

/// A cluster is a profile, a node and a network, or a machine. With a `structure` no matrix is looked at.
struct ClusterPredictRequest {
  MatrixInput matrix = {};
  /// With a node or a machine, in place of a matrix: "poisson2d", "poisson3d" or "stencil27" of any size, or a recipe
  /// of generate(), as "rmat:scale=30,edges=1e10" or "geometric:rows=1e9,row_mean=10"; nothing is made.
  std::string structure = {};
  std::int64_t size = 0;               ///< for a stencil: grid points along an edge
  std::filesystem::path profile = {};  ///< as cluster_calibrate() writes it
  /// Without a profile: a machine of the catalogue, a device's profile, or a description's file (.json).
  std::string node = {};
  std::string network = {};  ///< with a node: the network between the nodes, such as hdr200, or FILE.json
  std::string machine = {};  ///< in place of both: one of cluster_machines(), as "fugaku"
  /// With a node or a machine: numbers of nodes; none: 1, 2, 4, 8 and 16, or all nodes of the machine.
  std::vector<int> nodes = {};
  int ranks_per_node = 0;           ///< with a node: processes per node; 0: one per core
  int rank_threads = 1;             ///< with a node: threads per process (a cluster profile has its own)
  std::vector<int> processes = {};  ///< counts of processes to choose from; empty: those calibrated
  /// Empty: all.
  std::vector<ClusterScheme> schemes = {ClusterScheme::two_d_uniform, ClusterScheme::global_rows,
                                        ClusterScheme::local_rows};
  std::vector<ClusterFormat> formats = {ClusterFormat::csr, ClusterFormat::coo};  ///< empty: both
  std::string model = "all";  ///< model: sparsecast, microbench, svr, linear or all
  /// The regression's grid of parameters as it was published, where the profile holds none that were searched: minutes.
  bool full = false;
  std::uint64_t seed = 1;  ///< of two_d_uniform's random permutation
  Precision precision = Precision::double_;
  double iterations = 1000;  ///< number of iterations of the job, for its time and node hours
  double within_s = 0;       ///< the fewest nodes that do the iterations in so many seconds are asked for; 0: not asked
  /// Iterations of "cg", "bicgstab", "gmres[:m]", "chebyshev", "jacobi" or "power" instead of products.
  std::string solver = {};
  /// With cg, bicgstab or gmres, which are then PETSc's: "none", "jacobi" (taken where it is empty) or "bjacobi", a
  /// block of each process eliminated without fill.
  std::string preconditioner = {};
  /// With cg, bicgstab or gmres: the matrix type of PETSc that multiplies: "aij", or "sparsecast", the kernel of a
  /// plan, by this host's own profile. Empty: the csr kernel.
  std::string petsc_matrix = {};
  /// With a profile that met both states of two processes: "common" (their cores share a last-level cache) or "apart".
  /// Empty: times are for the state that holds now, and intervals cover both.
  std::string caches = {};
  int threads = 0;  ///< threads that read the matrix; 0: default_threads()
  Listener listener = {};
};

/// What times are of.
struct ClusterName {
  std::string name = {};
  std::string source = {};  ///< where the cluster's data come from: measured, described, or simulated:PLATFORM
  bool complete = true;     ///< false: the calibration was not completed
  int cores_per_node = 1;   ///< number of processes that share a node
};

/// A scheme, format and number of processes, and what an iteration takes there.
struct ClusterPlace {
  /// How the matrix is distributed over the processes: 2du, g1dr or l1dr.
  ClusterScheme scheme = ClusterScheme::local_rows;
  ClusterFormat format = ClusterFormat::csr;  ///< storage format of each process's block: csr or coo
  int processes = 1;
  int nodes = 1;                 ///< that the processes fill
  double seconds = 0;            ///< time of one iteration
  double low_s = 0, high_s = 0;  ///< 90 % interval
  Tier tier = Tier::measured;    ///< basis of the forecast: measured, simulated, data sheet
  bool extrapolated = false;     ///< true: the profile was not calibrated at this process count
};

/// The fewest processes within 10 % of the fastest, of those on which the profile was calibrated; extrapolated only
/// where no other count was asked for.
struct ClusterRecommendation {
  ClusterPlace place = {};
  std::optional<double> node_hours = {};  ///< of as many iterations as were asked for
  std::string reason = {};                ///< the reason, in one line
};

/// The fewest nodes that do the iterations in time.
struct ClusterWithin {
  double asked_s = 0;
  bool possible = false;  ///< on the counts of processes that were asked for
  std::optional<ClusterPlace> choice = {};
  std::optional<double> total_s = {}, node_hours = {};  ///< of all iterations
};

/// Result of cluster_predict().
struct ClusterPrediction {
  MatrixSize matrix = {};
  /// false: the matrix is not, and an iteration is a product y = A·x, again and again with the same x. It is dealt out
  /// as the square matrix that it becomes with empty rows or columns at its end.
  bool square = true;
  ClusterName cluster = {};
  std::vector<cluster::ClusterForecast> forecasts = {};  ///< forecasts by process count, scheme, format and model
  std::string solver = {};                  ///< method whose iterations are forecast; empty for plain products
  std::optional<Precision> precision = {};  ///< precision of values, vectors and messages; double if missing
  /// Time in which two cores hand over a cache line now, where the profile met two states and none was named.
  std::optional<double> handover_s = {};
  ClusterRecommendation recommended = {};  ///< the fewest processes that come within 10 % of the fastest
  ClusterPlace fastest = {};
  std::vector<cluster::ScalingPoint> scaling = {};  ///< time over processes
  cluster::ScalingEnd scaling_end = {};      ///< the number of processes beyond which more of them no longer help
  double iterations = 1;                     ///< number of iterations of the job
  std::optional<ClusterWithin> within = {};  ///< where a time was asked for
};

/// How to run it: the fewest nodes that do the iterations in time, or what is recommended where no time is given. Where
/// no count does it in time, the fastest.
struct ClusterAdvice {
  MatrixSize matrix = {};
  bool square = true;  ///< false: the matrix is not square, so each iteration is a product y = A·x with the same x
  ClusterName cluster = {};
  std::string solver = {};  ///< method whose iterations are forecast; empty for plain products
  double iterations = 1;    ///< number of iterations of the job
  bool possible = true;     ///< true: the job can finish within the requested time
  /// How the matrix is distributed over the processes: 2du, g1dr or l1dr.
  ClusterScheme scheme = ClusterScheme::local_rows;
  ClusterFormat format = ClusterFormat::csr;  ///< storage format of each process's block: csr or coo
  int processes = 1;
  int threads = 1;                 ///< threads per process
  int nodes = 1;                   ///< that the processes fill
  double seconds = 0;              ///< time of one iteration
  double low_s = 0, high_s = 0;    ///< 90 % interval
  bool extrapolated = false;       ///< true: the profile was not calibrated at this process count
  double node_hours = 0;           ///< node hours of all iterations
  std::string launch = {};         ///< what to put before the program on the command line
  std::string petsc_options = {};  ///< options for a PETSc program, which deals out rows; empty for 2du
};

/// A system as a list of the fastest computers describes it.
struct ClusterHpcgRequest {
  /// Name, dash, parts: "Site 1 — AMD EPYC 7763 64C 2.45GHz, Slingshot-11, NVIDIA A100 SXM4 40 GB".
  std::string computer = {};
  /// Number of cores as such lists count them: cores of processors plus multiprocessors of accelerators.
  std::int64_t cores = 0;
};

/// What a system's rate in HPCG is forecast to be. Where `reason` is told, the description was not understood, and
/// there are no rates.
struct ClusterHpcg {
  std::string computer = {};
  std::string name = {};                         ///< name of the system: the part before the dash
  std::string reason = {};                       ///< why there is no forecast
  std::string processor = {}, accelerator = {};  ///< by their names in the catalogue of parts
  std::string network = {};                      ///< empty: none was found
  double nodes = 0;                              ///< number of nodes that have that many cores
  int sockets = 0, accelerators = 0;             ///< numbers per node
  bool whole = true;                             ///< false: the number of cores is not a multiple of a node's cores
  double memory_bandwidth = 0;                   ///< bytes/s of all nodes together, for the memory that limits the rate
  double sweep_s = 0, sums_s = 0;                ///< of an iteration: in memory, and in sums over all nodes
  std::optional<double> rate = {}, low = {}, high = {};  ///< flop/s, 90 % interval
  int alike = 0;  ///< number of systems with the same processor or accelerator that the model was learned from
  bool extrapolated = false;      ///< true: more nodes than any of the systems that the model was learned from
  std::string decides = {};       ///< the part that limits the rate
  bool left_out = true;           ///< true: nothing was learned from a system of this name
  double share_of_bandwidth = 0;  ///< share of the data sheets' bandwidth that such systems achieve
};

/// The job script to write.
struct ClusterScriptRequest {
  ClusterPredictRequest predict = {};
  std::string scheduler = "slurm";      ///< scheduler: slurm or mpirun
  std::string launcher = {};            ///< launcher to write into the script; empty: srun or mpirun
  int iterations = 100;                 ///< per timed batch
  std::string time_limit = "00:30:00";  ///< Slurm's
  /// A folder for a program of one's own on this partition: sparsecast_mpi.hpp, a solver that uses it, parts.txt
  /// (local_rows); empty: none.
  std::filesystem::path program = {};
};

/// The job script of what is recommended.
struct ClusterScript {
  ClusterRecommendation recommended = {};  ///< what it runs
  std::string scheduler = {};              ///< scheduler: slurm or mpirun
  std::string script = {};
};

/// The iterations to run, and how.
struct ClusterMeasureRequest {
  MatrixInput matrix = {};
  std::vector<int> processes = {1};  ///< counts of processes
  /// Of several, those that a count of processes admits.
  std::vector<ClusterScheme> schemes = {ClusterScheme::two_d_uniform, ClusterScheme::global_rows,
                                        ClusterScheme::local_rows};
  std::vector<ClusterFormat> formats = {ClusterFormat::csr, ClusterFormat::coo};
  int iterations = 10;              ///< per timed batch
  std::uint64_t seed = 1;           ///< of two_d_uniform's random permutation
  std::string launcher = "mpirun";  ///< with its options, separated by blanks
  int rank_threads = 1;             ///< threads per process; they multiply its block
  /// A SimGrid platform to simulate, with local products timed here; empty: the ranks run.
  std::filesystem::path platform = {};
  double patience_s = 120;             ///< end the run after this many seconds without a sign of life
  double budget_s = 1;                 ///< time limit per case, in seconds
  std::filesystem::path scratch = {};  ///< folder for the job, which the first node sees
  bool check = true;                   ///< compare with one process, which then holds the whole matrix
  Precision precision = Precision::double_;
  int threads = 0;  ///< threads that read the matrix; 0: default_threads()
  Listener listener = {};
};

/// One iteration as it ran.
struct ClusterTime {
  ClusterScheme scheme = ClusterScheme::local_rows;  ///< how the product is shared out
  ClusterFormat format = ClusterFormat::csr;         ///< storage format of each process's block: csr or coo
  int processes = 1;
  int nodes = 1;                            ///< on which the launcher put the processes
  double seconds = 0;                       ///< time of one iteration on the slowest process
  double low_s = 0, high_s = 0;             ///< 5th and 95th percentile
  double core_s = 0;                        ///< part of the time spent in local products
  double communication_s = 0;               ///< the rest of the time
  int batches = 1;                          ///< number of batches that were timed
  std::optional<int> threads = {};          ///< threads per process, if more than one
  std::optional<Precision> precision = {};  ///< precision of values, vectors and messages; double if missing
  /// ‖x − x₁‖∞ / ‖x₁‖∞ against one process; nothing where unchecked or simulated.
  std::optional<double> checksum_error = {};
  std::optional<double> norm = {};       ///< 2-norm of the resulting vector; nothing if it exceeds the range of double
  std::optional<double> norm_log2 = {};  ///< its logarithm to base 2
  std::string source = {};               ///< where the times come from: measured, or simulated:PLATFORM
  std::vector<cluster::StateTime> states = {};  ///< two processes on a node: times by the state of their cores
};

/// Resident memory of every rank.
struct RankMemory {
  int processes = 1;
  std::vector<std::int64_t> base_bytes = {};  ///< bytes before the work
  std::vector<std::int64_t> peak_bytes = {};  ///< bytes at the peak
};

/// Iterations as they ran.
struct ClusterTimes {
  std::string matrix = {};  ///< name of the matrix file, as given
  bool square = true;  ///< false: the matrix is not square, so each iteration was a product y = A·x with the same x
  int iterations = 1;  ///< number of iterations in each timed batch
  std::vector<ClusterTime> measurements = {};  ///< times by process count, scheme and format
  std::vector<RankMemory> rank_memory = {};    ///< empty in a simulation
};

/// Which forecasts of a cluster profile are held against which times.
struct ClusterEvaluateRequest {
  std::vector<MatrixInput> matrices = {};
  std::filesystem::path profile = {};  ///< as cluster_calibrate() writes it
  std::vector<int> processes = {};     ///< counts of processes; empty: those calibrated
  /// Of several, those that a count of processes admits.
  std::vector<ClusterScheme> schemes = {ClusterScheme::two_d_uniform, ClusterScheme::global_rows,
                                        ClusterScheme::local_rows};
  std::vector<ClusterFormat> formats = {ClusterFormat::csr, ClusterFormat::coo};
  std::string model = "all";        ///< model: sparsecast, microbench, svr, linear or all
  bool full = false;                ///< as ClusterPredictRequest has it
  int iterations = 10;              ///< per timed batch
  std::uint64_t seed = 1;           ///< of two_d_uniform's random permutation
  std::string launcher = "mpirun";  ///< with its options, separated by blanks
  /// The SimGrid platform on which a simulated profile was made; empty: the ranks run.
  std::filesystem::path platform = {};
  double patience_s = 120;             ///< end a run after this many seconds without a sign of life
  double budget_s = 1;                 ///< time limit per case, in seconds
  std::filesystem::path scratch = {};  ///< folder for the jobs, which the first node sees
  Precision precision = Precision::double_;
  int threads = 0;  ///< threads that read the matrices; 0: default_threads()
  Listener listener = {};
};

/// One forecast beside the time of the same iteration.
struct ClusterEvaluationCase {
  std::string matrix = {};
  /// How the matrix is distributed over the processes: 2du, g1dr or l1dr.
  ClusterScheme scheme = ClusterScheme::local_rows;
  ClusterFormat format = ClusterFormat::csr;  ///< storage format of each process's block: csr or coo
  std::string model = {};                     ///< model that made the forecast
  int processes = 1;
  int nodes = 1;                 ///< that the processes fill
  double measured_s = 0;         ///< time of one iteration on the slowest process
  double seconds = 0;            ///< forecast time of one iteration
  double low_s = 0, high_s = 0;  ///< 90 % interval of the forecast
  bool extrapolated = false;     ///< true: the profile was not calibrated at this process count
  double error = 0;              ///< |measured − forecast| / measured
};

/// Errors of one model in one scheme and format, over matrices and counts of processes.
struct ClusterModelErrors {
  /// How the matrix is distributed over the processes: 2du, g1dr or l1dr.
  ClusterScheme scheme = ClusterScheme::local_rows;
  ClusterFormat format = ClusterFormat::csr;  ///< storage format of each process's block: csr or coo
  std::string model = {};
  int cases = 0;
  double mean_error = 0, max_error = 0;
  double coverage = 0;  ///< share of the times that lie within their intervals
};

/// Forecasts beside times: the tables of Hossain & Saule for this cluster.
struct ClusterEvaluation {
  ClusterName cluster = {};
  std::string source = {};                        ///< where the times come from: measured, or simulated:PLATFORM
  int iterations = 1;                             ///< number of iterations in each timed batch
  std::vector<ClusterEvaluationCase> cases = {};  ///< cases by matrix, process count, scheme, format and model
  std::vector<ClusterModelErrors> summary = {};   ///< errors by scheme, format and model
  std::vector<NotJudged> skipped = {};            ///< forecasts without a measured time, and why
};

/// What is measured, into which cluster profile.
struct ClusterCalibrateRequest {
  std::filesystem::path output = {};       ///< file for the cluster profile, written after every step
  std::vector<int> processes = {1, 2, 4};  ///< counts of processes
  std::string launcher = "mpirun";         ///< with its options, separated by blanks
  int rank_threads = 1;                    ///< threads per process, for this profile and its forecasts
  std::filesystem::path platform = {};     ///< a SimGrid platform to simulate; empty: the ranks run
  int cores_per_node = 0;   ///< number of processes that share a node; 0: the number of cores of this machine
  std::string name = {};    ///< name of the cluster; empty: the name of the file
  double patience_s = 120;  ///< end a run after this many seconds without a sign of life
  std::filesystem::path scratch = {};  ///< folder for the jobs, which the first node sees
  bool resume = false;                 ///< resume an interrupted calibration: keep what the output file holds
  /// A first look: fewer training matrices, two minutes at most, 40 seconds where this host is calibrated.
  bool quick = false;
  bool full = false;  ///< use ninety training matrices and the regression's whole grid of parameters
  Listener listener = {};
};

/// What a cluster profile holds now.
struct ClusterCalibration {
  std::string file = {};
  std::string name = {};            ///< name of the cluster
  std::string source = {};          ///< where the times come from: measured, or simulated:PLATFORM
  bool complete = false;            ///< false: some messages or training runs were not done
  std::vector<int> processes = {};  ///< counts of processes
  std::size_t message_times = 0, timed_blocks = 0, training_runs = 0;
};

/// Forecasts every scheme, format and model on every process count, and chooses. Error usage for what does not go
/// together and for unknown names; bad_input for a matrix that cannot be iterated, and for a broken profile; failed
/// where nothing could be forecast.
[[nodiscard]] ClusterPrediction cluster_predict(const ClusterPredictRequest& request);
/// The smallest of those that do the iterations within `within_s`, and how to start it. Errors as cluster_predict()'s.
[[nodiscard]] ClusterAdvice cluster_advise(const ClusterPredictRequest& request);
/// The job script of the recommended scheme. Errors as cluster_predict()'s; usage for a matrix that is no file.
[[nodiscard]] ClusterScript cluster_script(const ClusterScriptRequest& request);
/// Runs the iteration on P processes, checked against one. Error unavailable where the launcher or the rank program is
/// not here; failed where the ranks ended or fell silent; usage for what does not go together.
[[nodiscard]] ClusterTimes cluster_measure(const ClusterMeasureRequest& request);
/// Forecasts every matrix, then runs it and holds every model's forecasts against the times. Errors as
/// cluster_predict()'s and cluster_measure()'s; usage where a measured profile is judged by a simulation or a simulated
/// one by a run.
[[nodiscard]] ClusterEvaluation cluster_evaluate(const ClusterEvaluateRequest& request);
/// The rate in HPCG of a system, from the data sheets of its parts and what other systems reached. Error usage for an
/// empty description or no cores.
[[nodiscard]] ClusterHpcg cluster_hpcg(const ClusterHpcgRequest& request);
/// Machines that ClusterPredictRequest::machine takes.
[[nodiscard]] std::vector<std::string> cluster_machines();
/// Measures messages, a node and training runs into a cluster profile. Errors as cluster_measure()'s; interrupted, the
/// file holds what there is.
[[nodiscard]] ClusterCalibration cluster_calibrate(const ClusterCalibrateRequest& request);

}  // namespace sparsecast
#pragma GCC visibility pop

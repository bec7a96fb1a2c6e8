#pragma once
// The job folder: what the command hands to the ranks and what rank 0 hands back. Only rank 0 needs to see it; the
// matrix file must be visible to every rank.
//   job.json       what to do (Job)
//   parts.bin      int32 per row: the process of the row (g1dr, l1dr)
//   loads-K.txt    simulations: one line per rank (block_features.hpp)
//   alive          rewritten by rank 0 while work goes on; the command's watchdog looks at its time
//   outcome.json   the answer, or {"error": …}
//   vector-K.bin   resulting vector of case K as VectorEntry records in any order

#include <cmath>
#include <nlohmann/json_fwd.hpp>

#include "base/temporary_folder.hpp"
#include "cluster/models/forecast.hpp"

namespace sparsecast::cluster {
struct Case {
  Scheme scheme = Scheme::local_rows;
  LocalFormat format = LocalFormat::csr;
};

enum class Task { measure, simulate, benchmark };

/// How a rank gets at the entries.
enum class MatrixForm {
  market,   ///< plain Matrix Market coordinate text: every rank reads its byte range
  entries,  ///< EntryFileHeader and FileEntry records: every rank reads its range of records
};

struct JobMatrix {
  std::string file;
  MatrixForm form = MatrixForm::entries;
};

struct Job {
  Task task = Task::measure;
  JobMatrix matrix;
  std::vector<Case> cases;
  int iterations = 10;
  int threads = 1;                               ///< of each rank's products
  Precision precision = Precision::double_;      ///< of the blocks' values, the vectors and the messages
  std::uint64_t seed = 1;                        ///< of the permutation of 2du
  double budget_s = 1;                           ///< measuring stops after this many seconds per case
  bool keep_vectors = false;                     ///< write vector-K.bin
  std::int64_t largest_message_bytes = 4 << 20;  ///< benchmarks
  double limit_s = 0;  ///< benchmarks: no further size of a pattern is begun after its share of this; 0: no limit
};

std::string to_text(const Job& job);
/// Error bad_input for a document that is not a job.
Job parse_job(const std::string& text, const std::string& file);

/// An Error as it travels between ranks, and from rank 0 to the command.
nlohmann::ordered_json error_json(const Error& error);
Error error_from(const nlohmann::ordered_json& document);

struct EntryFileHeader {
  char magic[8] = {'s', 'c', 'e', 'n', 't', 'r', '1', '\n'};
  std::int64_t rows = 0, cols = 0, entries = 0;
};
struct FileEntry {
  std::int64_t row = 0, column = 0;
  double value = 0;
};
struct VectorEntry {
  std::int64_t index = 0;
  double value = 0;
};

/// The job script that runs the recommended scheme: for Slurm, or for a plain launcher. What it prints is
/// shellcheck-clean.
struct ScriptOptions {
  std::string scheduler = "slurm";  ///< or "mpirun"
  std::filesystem::path matrix;
  std::string launcher;  ///< empty: srun for Slurm, mpirun otherwise
  int iterations = 100;
  int cores_per_node = 1;  ///< processes that fit a node
  int rank_threads = 1;    ///< of each process
  std::string time_limit = "00:30:00";
};

/// Error usage for an unknown scheduler.
std::string job_script(const ClusterForecast& choice, const ScriptOptions& options);

/// A folder with a program of one's own on the recommended partition: sparsecast_mpi.hpp, solver.cpp, CMakeLists.txt
/// and parts.txt, the process of every row. Error usage for a scheme without parts; failed where nothing can be
/// written.
void write_solver(const Matrix& matrix, const ClusterForecast& choice, const std::filesystem::path& folder);

// A simulated cluster: a SimGrid platform file (XML, DTD 4.1) whose hosts are nodes. Ranks fill the nodes in order, as
// many per node as a host has cores.

struct Platform {
  std::string name;                ///< the file's, without ending
  std::vector<std::string> hosts;  ///< in the order of the file
  int cores_per_host = 1;
  // What the ranks of a host share: <prop id="memory_bandwidth" value="BYTES/S"/>, cache_bytes and cache_cores within
  // the <cluster> element. 0: not told, and nothing is shared.
  double memory_bandwidth = 0;   ///< of all cores of a host together
  std::int64_t cache_bytes = 0;  ///< one last-level cache …
  int cache_cores = 1;           ///< … and the cores that share it
  [[nodiscard]] int nodes(int processes) const { return (processes + cores_per_host - 1) / cores_per_host; }
};

/// Reads the <cluster> element and the properties within it. Error bad_input for a file without one, and for a property
/// that is no number.
Platform read_platform(const std::filesystem::path& file);

/// smpirun and its options for so many ranks; writes the host file into the folder. Error usage where the platform has
/// fewer cores.
std::vector<std::string> simulation_command(const std::filesystem::path& platform, int processes,
                                            const std::filesystem::path& folder);

// Starting the ranks under the site's launcher and seeing them to their end. Nothing here can hang: a run whose rank 0
// gives no sign of life for `patience_s` is ended, and so is everything when the command is interrupted or dies.

struct Launch {
  std::string launcher = "mpirun";  ///< program and its own options, separated by blanks: "srun --cpu-bind=cores"
  int processes = 1;
  int threads = 1;                 ///< of each rank's products
  double patience_s = 120;         ///< longest silence of rank 0
  double limit_s = INFINITY;       ///< longest run: Error failed beyond it, the ranks have ended then
  std::filesystem::path platform;  ///< not empty: simulate under SimGrid on this platform file; `launcher` is not used
};

/// Where the folder of a job is made: under `scratch` (empty: in the product's home folder).
base::TemporaryPlace job_place(const std::filesystem::path& scratch);

/// The words of the command line that starts the ranks.
std::vector<std::string> launch_command(const Launch& launch, const std::filesystem::path& rank_program,
                                        const std::filesystem::path& folder);

/// Where sparsecast-rank (sparsecast-rank-smpi for simulations) lies: $SPARSECAST_RANK, beside the running program, or
/// in the libexec folder of its installation. Error unavailable with what to install where it was not built.
std::filesystem::path rank_program(bool simulation);

/// Writes job.json, runs the ranks and returns the text of outcome.json. Throws what the ranks agreed on as they said
/// it; Error unavailable where the launcher is missing; failed where the ranks ended or fell silent without an answer;
/// interrupted.
std::string run_ranks(const Launch& launch, const Job& job, const std::filesystem::path& folder);

struct MeasureOptions {
  Launch launch;
  std::filesystem::path scratch;  ///< folder for the job; empty: the product's home folder
  std::vector<Case> cases;
  int iterations = 10;
  Precision precision = Precision::double_;  ///< of values, vectors and messages
  std::uint64_t seed = 1;
  double budget_s = 1;  ///< seconds per case, roughly
  bool check = true;    ///< compare the vector with one process's (this process then holds the whole matrix)
};

struct ClusterMeasurement {
  Case what;
  int processes = 1, nodes = 1;
  int threads = 1;  ///< of each process
  Precision precision = Precision::double_;
  double seconds = 0, low_s = 0, high_s = 0;  ///< one iteration, slowest process
  double core_s = 0;                          ///< of it in local products, slowest process
  int batches = 0;
  std::optional<double> checksum_error;  ///< relative_distance from one process's vector; none where unchecked
  std::optional<double> norm_log2;  ///< log2 of the 2-norm of the resulting vector; none where it is zero or unchecked
  std::string source = "measured";  ///< or "simulated:<platform>"
};

struct ClusterMeasurements {
  std::vector<ClusterMeasurement> cases;
  std::vector<std::int64_t> base_memory_bytes, peak_memory_bytes;  ///< per rank, before and after
};

/// Measures a matrix file. Plain Matrix Market text is read by the ranks in parts; any other form is unpacked here
/// first.
ClusterMeasurements measure_file(const std::filesystem::path& file, MeasureOptions options);
/// Measures a matrix that is already here.
ClusterMeasurements measure_matrix(const Matrix& matrix, MeasureOptions options);

/// What the ranks answer of one case.
ClusterMeasurement measurement_of(const nlohmann::json& answer, const Case& what, int processes);
}  // namespace sparsecast::cluster

#pragma once
// Measuring (or simulating) the iteration on P processes from the command's side: what the ranks need is laid into the
// job folder, the launcher started, the answer checked against the iteration on one process.

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "base/files.hpp"
#include "cluster/launch/job.hpp"
#include "cluster/scheme/scheme.hpp"

namespace sparsecast::cluster {
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
ClusterMeasurements measure_file(const std::filesystem::path& file, const MeasureOptions& options);
/// Measures a matrix that is already here.
ClusterMeasurements measure_matrix(const Matrix& matrix, const MeasureOptions& options);

/// What the ranks answer of one case.
ClusterMeasurement measurement_of(const nlohmann::json& answer, const Case& what, int processes);
}  // namespace sparsecast::cluster

#pragma once
// Starts the ranks under the site's launcher and sees them to their end. Nothing here can hang: a run whose rank 0
// gives no sign of life for `patience_s` is ended, and so is everything when the command is interrupted or dies.

#include <cmath>
#include <filesystem>
#include <sparsecast/error.hpp>
#include <string>
#include <vector>

#include "base/temporary_folder.hpp"
#include "cluster/launch/job.hpp"

namespace sparsecast::cluster {
struct Launch {
  std::string launcher = "mpirun";  ///< program and its own options, separated by blanks: "srun --cpu-bind=cores"
  int processes = 1;
  int threads = 1;                 ///< of each rank's products
  double patience_s = 120;         ///< longest silence of rank 0
  double limit_s = INFINITY;       ///< longest run: OutOfTime beyond it, the ranks have ended then
  std::filesystem::path platform;  ///< not empty: simulate under SimGrid on this platform file; `launcher` is not used
};

/// The ranks were ended because their time was over (Launch::limit_s).
class OutOfTime : public Error {
 public:
  using Error::Error;
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
}  // namespace sparsecast::cluster

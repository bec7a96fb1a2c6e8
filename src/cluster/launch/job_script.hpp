#pragma once
// The job script that runs the recommended scheme: for Slurm, or for a plain launcher. What it prints is
// shellcheck-clean.

#include <filesystem>
#include <sparsecast/cluster_forecast.hpp>
#include <string>

namespace sparsecast::cluster {
/// The job script that runs the recommended scheme: for Slurm, or for a plain launcher. What it prints is
/// shellcheck-clean.
struct ScriptOptions {
  std::string scheduler = "slurm";  ///< or "mpirun"
  std::filesystem::path matrix;
  std::string launcher;  ///< empty: srun for Slurm, mpirun otherwise
  int iterations = 100;
  int cores_per_node = 1;   ///< processes that fit a node
  int rank_threads = 1;     ///< of each process
  bool cores_idle = false;  ///< of a node with so many processes
  std::string time_limit = "00:30:00";
};

/// Error usage for an unknown scheduler.
std::string job_script(const ClusterForecast& choice, const ScriptOptions& options);
}  // namespace sparsecast::cluster

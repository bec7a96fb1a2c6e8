#pragma once
// The job script that runs the recommended scheme: for Slurm, or for a plain launcher. What it prints is
// shellcheck-clean.

#include <filesystem>
#include <string>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

struct ScriptOptions {
  std::string scheduler = "slurm";  ///< or "mpirun"
  std::filesystem::path matrix;
  std::string launcher;  ///< empty: srun for Slurm, mpirun otherwise
  int iterations = 100;
  int cores_per_node = 1;
  std::string time_limit = "00:30:00";
};

/// Error usage for an unknown scheduler.
std::string job_script(const ClusterForecast& choice, const ScriptOptions& options);

}  // namespace sparsecast::cluster

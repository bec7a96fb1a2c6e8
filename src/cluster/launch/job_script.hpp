#pragma once
// The job script that runs the recommended scheme: for Slurm, or for a plain launcher. What it prints is
// shellcheck-clean.

#include <filesystem>
#include <sparsecast/matrix.hpp>
#include <string>

#include "cluster/models/cluster_model.hpp"

namespace sparsecast::cluster {

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

}  // namespace sparsecast::cluster

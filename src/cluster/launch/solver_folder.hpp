#pragma once
// A folder with a program of one's own on the recommended partition.

#include <filesystem>
#include <sparsecast/cluster_forecast.hpp>
#include <sparsecast/matrix.hpp>

namespace sparsecast::cluster {
/// A folder with a program of one's own on the recommended partition: sparsecast_mpi.hpp, solver.cpp, CMakeLists.txt
/// and parts.txt, the process of every row. Error usage for a scheme without parts; failed where nothing can be
/// written.
void write_solver(const Matrix& matrix, const ClusterForecast& choice, const std::filesystem::path& folder);
}  // namespace sparsecast::cluster

#pragma once
// Measuring a matrix on the ranks: in every scheme and format that is asked for, and checked against one process.

#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <sparsecast/cluster_forecast.hpp>
#include <sparsecast/matrix.hpp>
#include <string>
#include <vector>

#include "cluster/launch/launcher.hpp"
#include "cluster/origin.hpp"

namespace sparsecast::cluster {
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
  int processes = 1, nodes = 1;  ///< on which the launcher put them
  int threads = 1;               ///< of each process
  Precision precision = Precision::double_;
  double seconds = 0, low_s = 0, high_s = 0;  ///< one iteration, slowest process
  double core_s = 0;                          ///< of it in local products, slowest process
  int batches = 0;
  std::optional<double> checksum_error;  ///< relative_distance from one process's vector; none where unchecked
  std::optional<double> norm_log2;  ///< log2 of the 2-norm of the resulting vector; none where it is zero or unchecked
  std::string source{measured_origin};  ///< or simulated_origin()
  std::vector<StateTime> states;        ///< of two processes on a node
};

struct ClusterMeasurements {
  std::vector<ClusterMeasurement> cases;
  std::vector<std::int64_t> base_memory_bytes, peak_memory_bytes;  ///< per rank, before and after
  bool square = true;  ///< false: an iteration was a product y = A·x with the same x
};

/// Measures a matrix file. Plain Matrix Market text is read by the ranks in parts; any other form is unpacked here
/// first.
ClusterMeasurements measure_file(const std::filesystem::path& file, const MeasureOptions& options);
/// Measures a matrix that is already here.
ClusterMeasurements measure_matrix(const Matrix& matrix, const MeasureOptions& options);

/// Of an answer with a list "states".
std::vector<StateTime> states_of(const nlohmann::json& answer);
/// What the ranks answer of one case.
ClusterMeasurement measurement_of(const nlohmann::json& answer, const Case& what, int processes);
}  // namespace sparsecast::cluster

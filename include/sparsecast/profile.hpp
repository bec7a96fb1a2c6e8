#pragma once
// Profile: what was *measured* on one device. It holds raw timing records and curves, nothing fitted, so that models
// can be fitted wherever it is opened and a better model needs no new measuring.

#include <cstdint>
#include <filesystem>
#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>
#include <sparsecast/matrix_spec.hpp>
#include <sparsecast/micro_benchmark.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast {

struct BenchmarkMatrix {
  MatrixSpec spec;
  Structure structure;
  std::string twin_of;  ///< imported profiles: the real matrix that this one imitates
};

/// One kernel timed on one matrix.
struct Record {
  int matrix = 0;  ///< index into Profile::matrices
  std::string kernel;
  Precision precision = Precision::double_;
  int threads = 0;          ///< host: threads used; 0 for other devices
  double seconds = 0;       ///< one product, robust centre of the blocks
  double spread = 0;        ///< relative: median absolute deviation of the blocks over the centre
  double preprocess_s = 0;  ///< conversion from CSR, 0 where not measured
  double step_s = 0;        ///< host: a fixed number of the core's cycles while it was timed; 0 where not known
  double launch_s = 0;      ///< host: starting its threads while it was timed; 0 for one thread or where not known
  std::string taken;        ///< UTC, ISO 8601
};

struct Profile {
  std::string name;
  DeviceProperties properties;
  std::string software;  ///< product version and compiler that took it
  std::string taken;     ///< UTC of the newest record
  std::vector<BenchmarkMatrix> matrices;
  std::vector<Record> records;
  std::vector<Curve> curves;
  std::vector<MicroBenchmark> micro_benchmarks;  ///< CUDA devices only

  [[nodiscard]] const Curve* curve(std::string_view name, int threads) const;
};

/// A profile file (JSON). Error bad_input with file and reason.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);
void write_profile(const Profile& profile, const std::filesystem::path& file);

}  // namespace sparsecast

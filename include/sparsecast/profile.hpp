#pragma once
// Profile: what was *measured* on one device. It holds raw timing records and curves, nothing fitted, so that models
// can be fitted wherever it is opened and a better model needs no new measuring.
//
// Thread safety: the structs are values; threads may share one that none of them changes. The functions are safe from
// several threads at once, writing into different files.

#include <cstdint>
#include <filesystem>
#include <sparsecast/device.hpp>
#include <sparsecast/matrix_spec.hpp>
#include <sparsecast/structure.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace sparsecast {

enum class Precision { single_, double_ };
[[nodiscard]] constexpr int value_bytes(Precision p) noexcept { return p == Precision::single_ ? 4 : 8; }
[[nodiscard]] std::string_view to_string(Precision p) noexcept;

/// A matrix that records were measured on: how to make it and what a model may know of it.
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

/// A curve measured on the device: y over x (bytes/s over footprint bytes; seconds over footprint bytes; …).
struct Curve {
  std::string name;  ///< "read_bandwidth", "gather_latency", "launch", …
  int threads = 0;
  std::vector<double> x, y;
};

/// Two runs of one chain of dependent operations on a GPU, as read: by one warp it shows the operation's latency, by as
/// many as are resident the throughput. Only the difference of the runs means something.
struct MicroBenchmark {
  std::string name;                      ///< of the operation: "fma-f32", "load-l2", …
  bool throughput = false;               ///< else latency
  std::int64_t groups = 1, threads = 1;  ///< groups launched, threads at work in each
  struct Run {
    std::int64_t steps = 0;  ///< operations of every thread
    double cycles = 0;       ///< of a multiprocessor's clock, median of the groups; 0 where kernels have no clock
    double seconds = 0;      ///< between device events
  };
  Run shorter, longer;
  std::int64_t bytes = 0;  ///< memory: footprint of the chain
};

/// Everything measured on one device.
struct Profile {
  std::string name;
  DeviceProperties properties;
  std::string software;  ///< product version and compiler that took it
  std::string taken;     ///< UTC of the newest record
  std::vector<BenchmarkMatrix> matrices;
  std::vector<Record> records;
  std::vector<Curve> curves;
  std::vector<MicroBenchmark> micro_benchmarks;  ///< CUDA devices only

  /// The curve of that name and number of threads; nullptr where it was not measured.
  [[nodiscard]] const Curve* curve(std::string_view name, int threads) const;
};

/// A profile file (JSON). Error bad_input with file and reason.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);
/// The same file. Error failed where it cannot be written.
void write_profile(const Profile& profile, const std::filesystem::path& file);

/// What `sparsecast calibrate` measured on a device, out of the user's store ($SPARSECAST_HOME, else sparsecast/ in the
/// XDG data folder). `device`: as users type it, "host", "opencl:0", "cuda:0", or the name of an imported profile.
/// Error failed, with the command to run, where the device is here but was never calibrated, and where the store cannot
/// be opened; unavailable where neither the device nor a profile of that name is here.
[[nodiscard]] Profile calibrated_profile(const std::string& device = "host");

}  // namespace sparsecast

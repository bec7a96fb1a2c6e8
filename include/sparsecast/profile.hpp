#pragma once
// Profile: what was *measured* on one device. It holds raw timing records and curves, nothing fitted, so that models
// can be fitted wherever it is opened and a better model needs no new measuring.
//
// Thread safety: the structs are values; threads may share one that none of them changes. The functions are safe from
// several threads at once, writing into different files.

#include <cstdint>
#include <filesystem>
#include <sparsecast/curve.hpp>
#include <sparsecast/device.hpp>
#include <sparsecast/matrix_spec.hpp>
#include <sparsecast/micro_benchmark.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>
#include <sparsecast/tier.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// A matrix on which records were measured: how to make it, and what a model may know about it.
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
  double seconds = 0;       ///< time of one product: robust centre of the blocks
  double spread = 0;        ///< median absolute deviation of the blocks, relative to the centre
  double preprocess_s = 0;  ///< time of the conversion from CSR; 0: not measured
  double step_s = 0;        ///< time of a fixed number of cycles, or of one on a GPU, while it was timed; 0: not known
  double launch_s = 0;      ///< host: time to start the threads while it was timed; 0: one thread, or not known
  std::string taken;        ///< UTC, ISO 8601
};

/// Everything measured on one device.
struct Profile {
  std::string name;
  DeviceProperties properties;
  std::string software;  ///< product version and compiler that took it
  std::string taken;     ///< UTC of the newest record
  /// What is known of the device: "measured" (a calibration or an imported table), "table" (an imported table of a
  /// described GPU), "anchors" (some products and its description), "probe" (`sparsecast probe`: a short calibration),
  /// "data sheet" (its description and nothing measured), "shipped" (this host, never calibrated: a probe of it and
  /// what ships with the library).
  Tier tier = Tier::measured;
  std::vector<BenchmarkMatrix> matrices;
  std::vector<Record> records;
  std::vector<Curve> curves;
  std::vector<MicroBenchmark> micro_benchmarks;  ///< CUDA devices only
  /// This host: numbers of threads that were never calibrated, for which what ships with the library stands in. Not
  /// part of a profile's file.
  std::vector<int> shipped;

  /// True if forecasts rest on records or curves of the device, not on its description alone.
  [[nodiscard]] bool is_measured() const {
    return tier == Tier::measured || tier == Tier::shipped ||
           (tier == Tier::probe && properties.kind == DeviceKind::host && !curves.empty());
  }
  /// Returns the curve of that name and number of threads; nullptr if it was not measured.
  [[nodiscard]] const Curve* curve(std::string_view name, int threads) const;
};

/// Reads a profile file (JSON). Error bad_input, with file and reason, if it is not one.
[[nodiscard]] Profile read_profile(const std::filesystem::path& file);
/// Writes a profile file. Error failed if it cannot be written.
void write_profile(const Profile& profile, const std::filesystem::path& file);

/// Makes the profile of a machine on which nothing was measured: its description without records. Forecasts rest on
/// what is known about other machines.
[[nodiscard]] Profile described_profile(DeviceProperties properties);

/// What `sparsecast calibrate` measured on a device, out of the user's store ($SPARSECAST_HOME, else sparsecast/ in the
/// XDG data folder). `device`: as users type it, "host", "opencl:0", "cuda:0", or the name of an imported profile.
/// The host needs no calibration: numbers of threads that it was not calibrated with, one and all, stand in
/// Profile::shipped, and a probe of some 50 ms is taken and kept. Error failed, with the command to run, where another
/// device is here but was never calibrated, and where the store cannot be opened; unavailable where neither the device
/// nor a profile of that name is here.
[[nodiscard]] Profile calibrated_profile(const std::string& device = "host");

}  // namespace sparsecast
#pragma GCC visibility pop

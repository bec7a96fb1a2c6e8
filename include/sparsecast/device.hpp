#pragma once
// DeviceProperties: what a model may know of a device without measuring it, for devices that are here and for those
// that are not (shipped descriptions). Running a product on a device is in plan.hpp.
//
// Thread safety: the structs are values; threads may share one that none of them changes. The functions are safe from
// several threads at once.

#include <cstdint>
#include <filesystem>
#include <map>
#include <sparsecast/precision.hpp>
#include <string>
#include <string_view>
#include <vector>

#pragma GCC visibility push(default)
namespace sparsecast {

/// Where a kernel runs: on this machine's cores, or on a GPU by way of OpenCL or CUDA.
enum class DeviceKind { host, opencl, cuda };

/// As documents write it: "host", "opencl", "cuda".
[[nodiscard]] std::string_view to_string(DeviceKind kind);

/// One level of cache. Sizes in bytes; `shared_by` is the number of compute units that share one such cache.
struct CacheLevel {
  int level = 1;
  std::int64_t size_bytes = 0;
  int line_bytes = 64;
  int shared_by = 1;
};

/// Counts and sizes of one device; 0 where they are not known.
struct DeviceProperties {
  std::string name;                  ///< as users type it: "host", "opencl:0", "nvidia-a100"
  std::vector<std::string> aliases;  ///< other names, such as cloud instances that are this machine
  std::string model;                 ///< the vendor's name: "AMD EPYC 9655", "NVIDIA A100-SXM4-80GB"
  std::string vendor;
  DeviceKind kind = DeviceKind::host;
  int compute_units = 0;             ///< multiprocessors, compute units or cores (host: threads in use)
  int warp_size = 1;                 ///< threads that run in step: 32 NVIDIA, 64 AMD CDNA, 1 host
  int warps_per_unit = 0;            ///< largest number of resident warps per compute unit
  int threads_per_unit = 0;          ///< largest number of resident threads per compute unit
  int max_threads_per_block = 1024;  ///< the break of the papers' CSR models
  int rows_per_chunk = 0;            ///< host: number of rows that one thread takes at a time
  std::int64_t memory_bytes = 0;     ///< G of the papers: bounds the benchmark matrices and the formats
  double memory_bandwidth = 0;       ///< bytes/s from the data sheet; 0: not known
  double clock_hz = 0;               ///< of a compute unit, as described (boost) or found
  double base_clock_hz = 0;          ///< processors: the guaranteed one
  int sockets = 0;                   ///< processors: number of sockets; compute_units counts the cores of all of them
  int numa_domains = 0;              ///< processors: number of NUMA domains
  int memory_channels = 0;           ///< processors: memory channels of all sockets
  double channel_bandwidth = 0;      ///< processors: bytes/s of one memory channel (its width times its rate)
  int vector_bits = 0;               ///< processors: width of a vector register in bits
  double launch_s = 0;               ///< time to start an empty kernel or parallel region and wait for it
  double power_w = 0;                ///< power of the board or socket in watts, from the data sheet
  std::vector<CacheLevel> caches;    ///< caches in ascending order of level
  std::string driver;                ///< driver or compiler and version, as found when measured
  std::string microcode;             ///< microcode of the host's processor; empty if not known
  std::string source;                ///< where the numbers come from
  std::map<std::string, std::string> sources;  ///< of single members, where that is somewhere else
  std::map<std::string, double> limits;  ///< further limits by name (registers per unit, shared memory per block, …)

  /// S(kernel), rows (for coo: non-zeros) that the device handles at once (Guo et al. 2014, section 3.1).
  /// 0 for a kernel that this kind of device does not run.
  [[nodiscard]] std::int64_t strip(const std::string& kernel) const;
  /// strip() of every kernel that this kind of device runs.
  [[nodiscard]] std::map<std::string, std::int64_t> strips() const;
};

/// Comparison of a device's kernel with the sequential product on one matrix.
struct KernelCheck {
  std::string kernel;  ///< name of the kernel, as in kernel_table()
  Precision precision = Precision::double_;
  int offset_bits = 32;  ///< width of the matrix's row pointers in bits
  std::string matrix;    ///< property that makes the matrix a difficult case
  bool agrees = false;   ///< true: the results agree
  double error = 0;  ///< largest |y − y_ref| relative to the rounding bound Σ|a·x|·(n + 2)·ε of a row; correct up to 1
  std::string remark;  ///< where the result is wrong, or the device's own error message
};

/// Returns the same device with `threads` threads in use. On a host a compute unit is a thread, and fewer threads than
/// cores draw only the bandwidth of that many cores. Other devices stay unchanged.
[[nodiscard]] DeviceProperties with_threads(DeviceProperties properties, int threads);

/// Returns the names of the descriptions that ship with the library (see profiles/devices/).
[[nodiscard]] std::vector<std::string> described_devices();
/// Returns a shipped description by name or alias; its name is the one that was passed in. Error usage for an unknown
/// name, with the three most similar names.
[[nodiscard]] DeviceProperties describe_device(const std::string& name);
/// Reads the description of a machine from a file, in the form that `sparsecast devices --describe NAME --json` writes.
/// Forecasts can rest on it alone. Error bad_input, with the name of the field, if a number that a forecast needs is
/// missing, negative or contradicts another one.
[[nodiscard]] DeviceProperties read_device(const std::filesystem::path& file);

}  // namespace sparsecast
#pragma GCC visibility pop

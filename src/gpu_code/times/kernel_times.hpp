#pragma once
// What the time models know of a GPU: limits, throughputs and latencies, from the tables in profiles/kernel-times/
// (each with its sources). A device's table names its family's. What of it was found on
// measured kernels stands there and in docs/results-kernel.md.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/guard/parse_json.hpp"

namespace sparsecast::gpu_code {
// The parts of a multiprocessor that an instruction takes: pipes of a partition, and what stands beside them.

enum class Pipe : std::uint8_t {
  none,
  fma,
  fma_heavy,
  alu,
  half,
  xu,
  double_,
  uniform,
  tensor,
  branch,
  lsu,
  constant,
  special,
  barrier,
  exit
};
[[nodiscard]] std::string_view to_string(Pipe pipe) noexcept;
inline constexpr std::size_t pipe_count = 15;

struct KernelTimes {
  std::string name, model;
  int architecture = 0;         ///< compute capability × 10
  std::string processor;        ///< AMD: the name of the back end's target (gfx90a); empty for NVIDIA
  bool verified = true;         ///< forecasts by this table were held against measurements of its family
  std::string borrowed_from;    ///< the board whose instruction times it has, where that is of another architecture
  bool clock_is_known = false;  ///< it was asked for
  int wave_warps = 1;           ///< AMD: a wavefront of 64 lanes counts as two warps
  int multiprocessors = 0, partitions = 4;
  int max_warps = 0, max_blocks = 0, registers = 0;  ///< per multiprocessor
  std::int64_t shared_max_bytes = 0, shared_reserved_bytes = 0, shared_unit_bytes = 128;
  std::int64_t unified_bytes = 0;                        ///< first-level cache and shared memory together
  std::vector<std::int64_t> carveouts_bytes;             ///< sizes that shared memory may take of it, ascending
  double clock_hz = 0;                                   ///< boost, by the data sheet
  double base_clock_hz = 0;                              ///< by the data sheet; 0: not known
  double memory_bandwidth = 0, memory_efficiency = 0.9;  ///< bytes/s by the data sheet, and the share a stream reaches
  int memory_access_bytes = 64;                          ///< that the second-level cache fetches at once: 32 or 64
  std::int64_t l2_bytes = 0;
  int l2_partitions = 1;  ///< each keeps its own copy of what its half of the multiprocessors reads
  double l2_bytes_per_cycle = 0, l2_efficiency = 0.8;  ///< whole device
  double l2_to_sm_bytes_per_cycle = 64;
  double shared_bytes_per_cycle = 128, l1_bytes_per_cycle = 128;
  double launch_s = 2e-6;
  /// Cycles for which one warp instruction keeps a partition's pipe; `fma_pipes` is how many single-precision pipes
  /// there are.
  struct Pipes {
    double fma = 2, fma_pipes = 1, alu = 2, half = 2, xu = 8, double_ = 4, uniform = 2, tensor = 8, branch = 2, lsu = 2;
    double lsu_request = 0;    ///< cycles for which an access keeps the multiprocessor's load/store unit at least
    double lsu_queue = 0;      ///< accesses that wait in front of a partition's pipe without holding up their warp
    double register_read = 0;  ///< cycles for which a source keeps one of a partition's two register banks; 0: unknown
  } pipe;
  /// Caches for machine code and the cycles that a line of 128 bytes takes from behind each; 0 bytes: none known.
  struct CodeCaches {
    std::size_t near_bytes = 0, far_bytes = 0;
    double near_line_cycles = 0, far_line_cycles = 0;
  } code_caches;
  struct Latencies {
    double fma = 4, alu = 4, xu = 14, double_ = 8, shared = 23, l1 = 33, l2 = 200, memory = 450, constant = 27,
           special = 20, barrier = 16, tensor = 16;
    double shuffle = 0;  ///< 0: as a load that hits the first-level cache
  } latency;
  std::vector<std::pair<std::string, std::string>> sources;

  [[nodiscard]] double seconds(double cycles) const { return cycles / clock_hz; }
};

/// What --clock says: "" or "boost", "base", or a number of Hz. Error usage for another word, and for the base
/// clock of a board of which it is not known.
[[nodiscard]] KernelTimes with_clock(const KernelTimes& times, const std::string& choice);
/// The same device at another clock: the part of memory's latency past the second-level cache stays in nanoseconds.
[[nodiscard]] KernelTimes at_clock(const KernelTimes& times, double clock_hz);

/// Names of the devices with a table.
[[nodiscard]] std::vector<std::string> kernel_time_devices();
/// The table of a device by name, or a file of the same form (any name with a '/' or ending in .json). Error usage for
/// an unknown name.
[[nodiscard]] KernelTimes kernel_times(const std::string& name_or_file);
/// Error bad_input, naming `file`, where a limit, a clock or a bandwidth is missing.
void require_complete(const KernelTimes& times, const std::string& file);

/// What one kernel takes of a multiprocessor.
struct KernelResources {
  int registers = 32;             ///< per thread
  std::int64_t shared_bytes = 0;  ///< per block, static and dynamic
  std::int64_t spill_bytes = 0;   ///< local memory per thread
  bool from_compiler = false;     ///< ptxas said so; else estimated from the PTX
};

struct Occupancy {
  int blocks = 0;  ///< resident per multiprocessor
  int warps = 0;
  std::string limited_by;     ///< "warps", "blocks", "registers", "shared memory", "grid"
  std::int64_t l1_bytes = 0;  ///< what shared memory leaves
};
/// Error bad_input where not even one block fits.
[[nodiscard]] Occupancy occupancy(const KernelTimes& times, const KernelResources& resources,
                                  std::int64_t threads_per_block);
}  // namespace sparsecast::gpu_code

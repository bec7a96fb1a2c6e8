#pragma once
// What the time models know of a GPU: limits, throughputs and latencies, from the tables in profiles/kernel-times/
// (each with its sources). A device's table names its family's. What of it was found on
// measured kernels stands there and in docs/results-kernel.md.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/guard/parse_json.hpp"

namespace sparsecast::gpu_code {
// The parts of a multiprocessor that an instruction takes: pipes of a partition, and what stands beside them.

enum class Pipe : std::uint8_t {
#define GPU_PIPE(pipe, name, operation, cycles, latency) pipe,
#include "gpu_code/times/pipes.def"
#undef GPU_PIPE
};
[[nodiscard]] std::string_view to_string(Pipe pipe) noexcept;
inline constexpr std::size_t pipe_count = 15;

struct KernelTimes {
#define KERNEL_TIME(type, name, key, otherwise) type name = otherwise;
#include "gpu_code/times/limits.def"
  struct Pipes {
#include "gpu_code/times/pipe_cycles.def"
  } pipe;
  struct CodeCaches {
#include "gpu_code/times/code_caches.def"
  } code_caches;
  struct Latencies {
#include "gpu_code/times/latency_cycles.def"
  } latency;
#undef KERNEL_TIME
  std::string borrowed_from;    ///< the board whose instruction times it has, where that is of another architecture
  bool clock_is_known = false;  ///< it was asked for
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

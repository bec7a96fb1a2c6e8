#pragma once
// What the time models know of a GPU: limits, throughputs and latencies, from the tables in profiles/kernel-times/
// (each with its sources). A device's table names its family's. What of it was found on measured kernels stands there
// and in docs/results-kernel.md.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "gpu_code/times/pipe.hpp"

namespace sparsecast::gpu_code {
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
}  // namespace sparsecast::gpu_code

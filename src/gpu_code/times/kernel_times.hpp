#pragma once
// What the time models know of a GPU: limits, throughputs and latencies, from the tables in profiles/kernel-times/
// (each with its sources). A device's table names its family's. What of it was found on
// measured kernels stands there and in docs/results-kernel.md.

#include <sparsecast/kernel_forecast.hpp>
#include <sparsecast/profile.hpp>


namespace sparsecast::gpu_code {
// The parts of a multiprocessor that an instruction takes: pipes of a partition, and what stands beside them.

enum class Pipe : std::uint8_t {
#define GPU_PIPE(pipe, name, operation, cycles, latency) pipe,
#include "gpu_code/times/pipes.def"
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

// Kernel times of a device without a table of its own: the nearest board's with the device's limits, and over them the
// readings of its micro-benchmarks (hardware/gpu/micro_benchmarks.hpp) where it was calibrated; `sources` says which is
// which. And what is believed of a forecast's error, before and after anchors.

/// The table of the device's own board where one ships, else that of the nearest board (by architecture, then by
/// multiprocessors) with the device's own limits; and on it what the profile's micro-benchmarks tell. Error unavailable
/// where it is not of a CUDA device or has none of them; bad_input where the table lacks what the profile does not
/// tell.
[[nodiscard]] KernelTimes measured_times(const Profile& profile);

/// Only the laying over: `properties` tells how many multiprocessors shared the work. A reading whose longer run is not
/// longer is passed over.
[[nodiscard]] KernelTimes laid_over(KernelTimes table, const DeviceProperties& properties,
                                    const std::vector<MicroBenchmark>& readings);

/// What --device names: a shipped table, a GPU of the catalogue, a file of a table, a profile or a description, or a
/// calibrated device ("cuda:0").
[[nodiscard]] KernelTimes times_of_device(const std::string& name);

// Between which times a measurement is expected, and how measured configurations (anchors) move the others' forecasts.
// Which clock a board ran at is not known before: boost, as forecasts take it, or base.

struct ForecastInterval {
  double low_s = 0, high_s = 0;
};

/// CONFIG=SECONDS of the command line: "12=0.0031", or "block_size_x=32,tile_size_x=2=0.0031". Error usage.
[[nodiscard]] KernelAnchor parse_anchor(const std::string& text);

/// A forecast beside a measurement.
struct AnchoredTime {
  double forecast_s = 0, measured_s = 0;
  bool by_memory = false;  ///< bound by memory's bandwidth, which no clock of the multiprocessors changes
};
[[nodiscard]] bool bound_by_memory(const std::string& bound_by);

/// What is believed of measured over forecast time: for each clock that may have run a normal law of its logarithm,
/// weighted by a prior and by how well the clock explains the anchors.
class TimeBelief {
 public:
  /// `spread`: of the forecasts of the space (forecast_spread); none for a launch alone.
  explicit TimeBelief(const KernelTimes& times, std::optional<double> spread = {},
                      const std::vector<AnchoredTime>& anchors = {});
  /// What a forecast is to be multiplied by, at the likeliest clock; 1 without anchors.
  [[nodiscard]] double scale(bool by_memory) const;
  /// For 90 % of configurations, of a forecast that is not multiplied yet.
  [[nodiscard]] ForecastInterval interval(double forecast_s, bool by_memory) const;

 private:
  [[nodiscard]] double quantile(double share, bool by_memory) const;
  struct State {
    double slower = 0;  ///< logarithm of the boost clock over this one
    double weight = 1, offset = 0, deviation = 0;
  };
  std::vector<State> states_;
};
/// Standard deviation of the logarithms of forecast times.
[[nodiscard]] double forecast_spread(const std::vector<double>& forecasts);
}  // namespace sparsecast::gpu_code

#pragma once
// The time of one product of a kernel of ours on an NVIDIA GPU that was never measured, from the kernel's machine code
// (code_numbers.hpp), counts of the Structure, the description, and costs learned on an H100 (docs/design/kernel.md).
// Everybody who asks of such a kernel is answered from here: predict, compare, plan, evaluate and `kernel --own`.

#include <array>
#include <optional>
#include <sparsecast/forecast.hpp>

#include "forecast/machines/code_numbers.hpp"
#include "forecast/model_names.hpp"

namespace sparsecast::forecast {
/// One product in counts: what of its time depends on matrix, kernel and description. benchmarks/gpu-kernels/learn has
/// them by these names.
struct CodeProduct {
  std::string kernel;
  std::string_view function;  ///< of hardware/gpu/gpu_functions.def: where it spends its time
  CodeNumbers code;
  double launches = 1;        ///< kernels queued
  double carries = 0;         ///< sums handed from group to group
  double waves = 1;           ///< groups that follow each other where those run side by side
  double serial_steps = 0;    ///< steps that follow each other there, in the mean
  double longest_steps = 0;   ///< steps of the longest lane
  double tiles = 0;           ///< of a group
  double far = 0;             ///< share of the reads of x that miss the first-level cache
  double busy = 1;            ///< share of the multiprocessors that have a group
  double sector_bytes = 0;    ///< of the format, as warps ask for them
  double far_bytes = 0;       ///< of x, that the first-level caches miss
  double memory_x_bytes = 0;  ///< of x, that the last cache misses
  double bytes = 0;           ///< of the format, x and y
  double instructions = 0;    ///< that warps issue
};

/// nullopt where no code is known (no NVIDIA device, or older than the table's first), for a kernel that is none of
/// ours, and of a feature record, which tells no lengths of rows.
[[nodiscard]] std::optional<CodeProduct> code_product(const Structure& structure, const std::string& kernel,
                                                      const DeviceProperties& device, Precision precision);

/// Seconds by what they are spent on. The body's parts hide each other: of theirs the power mean is taken.
struct CodeTime {
  double launch = 0, latency = 0, longest = 0, caches = 0, instructions = 0, memory = 0;
  double seconds = 0;
};
[[nodiscard]] CodeTime code_time(const CodeProduct& product, const DeviceProperties& device);

/// What products of a kernel that were measured on the device say of the others' times.
struct CodeMoved {
  double log_factor = 0;
  double doubt_left = 1;  ///< of what is unsure about the device, as a standard deviation
};
/// `off`: logarithms of measured over forecast times, one or more.
[[nodiscard]] CodeMoved moved_by(const std::string& kernel, const DeviceProperties& device, std::vector<double> off);

/// The forecast with its interval, at the tier "data sheet"; nullopt as code_product().
[[nodiscard]] std::optional<Forecast> forecast_from_code(const Structure& structure, const std::string& kernel,
                                                         const DeviceProperties& device, Precision precision,
                                                         const CodeMoved& moved = {});

/// Our kernels whose code is known on such a device, in the order of the table of kernels; none on others.
[[nodiscard]] std::vector<std::string> kernels_from_code(const DeviceProperties& device);
[[nodiscard]] bool is_from_code(const std::string& kernel, const DeviceProperties& device);
}  // namespace sparsecast::forecast

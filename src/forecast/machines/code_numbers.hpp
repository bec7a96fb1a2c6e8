#pragma once
// What the machine code of our own GPU kernels is like, whatever device runs it: profiles/gpu-code.tsv, which
// `benchmarks/gpu-kernels/learn --code` writes from what ptxas makes of src/hardware/gpu/kernels. It ships with the
// product, so that no compiler is asked when a product is forecast.

#include <sparsecast/precision.hpp>
#include <string_view>

namespace sparsecast::forecast {
/// Of one function on one architecture. A step is what a warp does for one entry of each of its threads' rows; of
/// csr-stream a turn in which every thread of a group reads a pair, of csr-tiles an entry; of coo and csr-merge one of
/// the items that a thread walks. Cycles and loads follow each other: the time of a step is step_cycles + step_loads ×
/// the latency of a load, the cycle mean of its loop in max-plus algebra.
struct CodeNumbers {
  double step_cycles = 0, step_loads = 0;
  double step_instructions = 0;              ///< that a warp issues
  double start_cycles = 0, start_loads = 0;  ///< of a group, before its first step and behind its last
  double start_instructions = 0;             ///< of a warp
};

/// Of a function of hardware/gpu/gpu_functions.def by a device's compute capability: of the newest architecture that is
/// not newer; nullptr before the first. Error failed for a function that is not in the table.
[[nodiscard]] const CodeNumbers* code_numbers(std::string_view function, Precision precision, double capability);
/// The architectures of the table that is taken for such a device, as compute capability; 0: there is none.
[[nodiscard]] double code_capability(double capability);
}  // namespace sparsecast::forecast

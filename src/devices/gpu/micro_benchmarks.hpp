#pragma once
// Micro-benchmarks of a GPU's instructions and memory: chains of dependent operations
// (src/devices/gpu/kernels/chains.*) run by one warp and by as many as are resident, each at two lengths. Only readings
// come out; what they mean for forecasts of kernels is in gpu_code/times/measured_times.hpp.

#include <span>
#include <sparsecast/micro_benchmark.hpp>
#include <sparsecast/precision.hpp>
#include <string_view>
#include <vector>

#include "devices/gpu/gpu_runtime.hpp"

namespace sparsecast::devices {

/// One chain. A new one is a kernel in chains.cl, a row in gpu_kernels.cpp and a row here.
struct MicroBenchmarkKind {
  std::string_view name;      ///< in profiles: "fma-f32", "load-l2", …
  std::string_view function;  ///< of the kernel text
  Precision precision = Precision::single_;
  /// Which memory the chain reads: none, shared memory in the kernel itself, a ring that fits the first-level cache,
  /// one that fits the second-level cache, or one that fits none.
  enum class Ring { none, first_level, second_level, memory } ring = Ring::none;
  bool latency = true, throughput = true;
  bool whole_group = false;  ///< all threads of a group take part, also where latency is asked for (barriers)
  bool cuda_only = false;    ///< OpenCL C has no word for it
};
[[nodiscard]] std::span<const MicroBenchmarkKind> micro_benchmark_kinds();

/// Runs them all; what the device cannot do (double precision) is left out. Interruptible.
[[nodiscard]] std::vector<MicroBenchmark> run_micro_benchmarks(GpuRuntime& runtime, bool quick);

}  // namespace sparsecast::devices

#pragma once
// Micro-benchmarks of a GPU's instructions and memory: chains of dependent operations
// (src/hardware/gpu/kernels/chains.*) run by one warp and by as many as are resident, each at two lengths. Only
// readings come out; what they mean for forecasts of kernels is in gpu_code/times/kernel_times.hpp.

#include "hardware/gpu/gpu_runtime.hpp"

namespace sparsecast::hardware {
// Rings of addresses in memory for pointer chases: which bytes a chase visits, in which order. Not here: running one.

/// Rows of so many 8-byte elements; each element leads to that of the same column in the next row of `order`, the last
/// row to the first. A chase of one thread follows one column, a group of `row_elements` threads whole rows.
struct PointerRing {
  std::int64_t row_elements = 16;
  std::vector<std::int64_t> order;  ///< rows as visited: every row once

  [[nodiscard]] std::int64_t elements() const { return static_cast<std::int64_t>(order.size()) * row_elements; }
  /// Content: for every element the distance in bytes from the first element to the one that follows it.
  [[nodiscard]] std::vector<std::int64_t> links() const;
};

/// Lines of 128 bytes in random order within pages of 2 MiB, one page after the other: no prefetcher follows, and the
/// translation of addresses, which misses once a page, does not count.
[[nodiscard]] PointerRing shuffled_ring(std::int64_t bytes);

/// Rows of `row_elements` of which every `stride`-th is visited: `stride` chases that begin in rows 0, 1, … read the
/// memory together from front to back, as a stream does.
[[nodiscard]] PointerRing streaming_ring(std::int64_t bytes, std::int64_t row_elements, std::int64_t stride);

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
}  // namespace sparsecast::hardware

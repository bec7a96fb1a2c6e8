#pragma once
// The product's own GPU kernels under the kernel model: the launches that multiply a given matrix, with grid, arguments
// and data, taken down by a runtime that runs nothing. What the SpMV models forecast from records and structure, this
// forecasts from the same kernel's code.

#include <sparsecast/matrix.hpp>
#include <sparsecast/precision.hpp>
#include <sparsecast/structure.hpp>

#include "gpu_code/kernel_analysis.hpp"

namespace sparsecast::gpu_code {
// This product's own kernels by name: their CUDA sources are compiled into the library and written into the store when
// one is asked for, so that the compiler finds a file.

/// Names of this product's own kernels (benchmarks/gpu-kernels), and one as source text written into the store.
[[nodiscard]] std::vector<std::string> own_kernels();
[[nodiscard]] std::filesystem::path own_kernel_source(const std::string& name);

struct OwnLaunch {
  std::filesystem::path source;      ///< CUDA text, in the store
  std::string kernel;                ///< its name in the binary
  std::vector<std::string> defines;  ///< NAME=VALUE
  Launch launch;                     ///< with the matrix's own arrays
};

/// The launches of one y = A·x, in order. `kernel` is a name of the kernel table that GPUs run; Error usage for
/// another.
[[nodiscard]] std::vector<OwnLaunch> own_launches(const Matrix& matrix, const Structure& structure,
                                                  std::string_view kernel, Precision precision,
                                                  const KernelTimes& times);

/// What predict says of the same product on a described board (forecast/machines/code_time.hpp): of it no compiler is
/// asked. nullopt for a board that nothing describes, or whose code is not known.
[[nodiscard]] std::optional<LaunchEstimate> estimate_from_code(const Structure& structure, const std::string& kernel,
                                                               Precision precision, const KernelTimes& times);
/// The same as a report of its own, where no compiler may run or none is here.
[[nodiscard]] KernelReport report_from_code(const LaunchEstimate& estimate, const std::string& kernel,
                                            const KernelTimes& times);

/// All launches one after another: the report of the longest, with the sum of the times.
[[nodiscard]] KernelReport analyze_own(const std::vector<OwnLaunch>& launches, std::string_view kernel,
                                       const KernelTimes& times, const AnalysisOptions& options);
}  // namespace sparsecast::gpu_code

#pragma once
// This product's own kernels by name: their CUDA sources are compiled into the library and written into the store when
// one is asked for, so that the compiler finds a file.

#include <filesystem>
#include <string>
#include <vector>

namespace sparsecast::gpu_code {

/// Names of this product's own kernels (benchmarks/gpu-kernels), and one as source text written into the store.
[[nodiscard]] std::vector<std::string> own_kernels();
[[nodiscard]] std::filesystem::path own_kernel_source(const std::string& name);

}  // namespace sparsecast::gpu_code

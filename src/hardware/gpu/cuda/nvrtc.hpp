#pragma once
// CUDA's run-time compiler, where it is installed: for GPUs that the built-in binary has no code for (older than
// compute capability 7.5, or a driver older than the toolkit of the build), and for builds without nvcc.

#include "hardware/gpu/gpu_kernels.hpp"

namespace sparsecast::hardware {
/// Machine code of one function's version for a compute capability (10 × major + minor), under its cuda_symbol.
/// Error unavailable where the compiler is not installed, failed where it refuses the text.
std::string compile_with_nvrtc(const GpuFunction& function, Precision precision, int offset_bits, int capability);
}  // namespace sparsecast::hardware

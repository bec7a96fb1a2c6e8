#pragma once
// The kernels as nvcc compiled them: code for several architectures and PTX for later ones, in one binary.

#include <span>

namespace sparsecast::hardware {
/// Empty where nvcc was not found when the product was built.
std::span<const unsigned char> cuda_kernel_binary();
}  // namespace sparsecast::hardware

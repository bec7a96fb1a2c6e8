#pragma once
// The machine code of the kernel texts, embedded where nvcc compiled it with the library.

#include <span>

namespace sparsecast::hardware {
/// The kernels as nvcc compiled them: code for several architectures and PTX for later ones, in one binary. Empty where
/// nvcc was not found when the product was built.
std::span<const unsigned char> cuda_kernel_binary();
}  // namespace sparsecast::hardware

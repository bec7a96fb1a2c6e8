#include "hardware/gpu/cuda/kernel_binary.hpp"

#ifdef SPARSECAST_CUDA_BINARY
// The assembler takes the file as it is: as an array in C++ it would cost the compiler seconds.
asm(".pushsection .rodata\n"
    ".balign 64\n"
    "sparsecast_cuda_binary_begin:\n"
    ".incbin \"" SPARSECAST_CUDA_BINARY
    "\"\n"
    "sparsecast_cuda_binary_end:\n"
    ".popsection\n");
extern "C" {
extern const unsigned char sparsecast_cuda_binary_begin[] __attribute__((visibility("hidden")));
extern const unsigned char sparsecast_cuda_binary_end[] __attribute__((visibility("hidden")));
}
#endif

namespace sparsecast::hardware {
std::span<const unsigned char> cuda_kernel_binary() {
#ifdef SPARSECAST_CUDA_BINARY
  return {sparsecast_cuda_binary_begin, sparsecast_cuda_binary_end};
#else
  return {};
#endif
}
}  // namespace sparsecast::hardware

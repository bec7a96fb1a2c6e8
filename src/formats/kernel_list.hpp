#pragma once
// The kernels, in the order in which tables list them: a line here, and a function of that name that gives the row, in
// the kernel's own file.

#include "formats/kernels.hpp"

// clang-format off
#define SPARSECAST_KERNELS(kernel) \
  kernel(csr)                      \
  kernel(csr_scalar)               \
  kernel(csr_vector)               \
  kernel(csr_half)                 \
  kernel(csr_tiles)                \
  kernel(csr_merge)                \
  kernel(csr_stream)               \
  kernel(ell)                      \
  kernel(coo)                      \
  kernel(hyb)                      \
  kernel(jad)                      \
  kernel(sell)                     \
  kernel(sell_8_1)                 \
  kernel(sell_16)                  \
  kernel(sell_32)                  \
  kernel(dia)                      \
  kernel(bsr)                      \
  kernel(csr_sym)                  \
  kernel(sell_sym)                 \
  kernel(sell_compact)             \
  kernel(vendor_csr)               \
  kernel(vendor_csr_preprocessed)  \
  kernel(vendor_coo)               \
  kernel(vendor_sell)              \
  kernel(vendor_bsr)
// clang-format on

namespace sparsecast::formats {
#define SPARSECAST_DECLARE_KERNEL(name) KernelInfo name##_kernel();
SPARSECAST_KERNELS(SPARSECAST_DECLARE_KERNEL)
#undef SPARSECAST_DECLARE_KERNEL
}  // namespace sparsecast::formats

#pragma once
// cuSPARSE's products as a yardstick (kernels vendor-…); its library is opened at run time.

#include "hardware/gpu/cuda/api.hpp"

namespace sparsecast::hardware {
/// Values of cuSPARSE's enumerations.
namespace cusparse_numbers {
inline constexpr int allocation_failed = 2, not_supported = 10;
inline constexpr int index_32 = 2, index_64 = 3, base_zero = 0, order_row = 2;
inline constexpr int real_32 = 0, real_64 = 1;
inline constexpr int csr_1 = 2, csr_2 = 3, coo_1 = 1, coo_2 = 4, sell_1 = 5, bsr_1 = 6;
}  // namespace cusparse_numbers

/// nullptr where cuSPARSE is not installed. The context of `stream` must be current.
std::unique_ptr<VendorLibrary> open_cusparse(CuStream stream);
}  // namespace sparsecast::hardware
